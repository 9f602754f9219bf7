"""Fits a Gaussian process by its marginal likelihood, with a Cholesky factorization in each step,
and reads the likelihood back."""

import measure

# isort: split
import math

import torch

POINTS, STEPS = 2000, 20


def main():
    generator = torch.Generator().manual_seed(1)
    x = torch.rand(POINTS, 4, generator=generator, dtype=torch.float64).cuda()
    noise = torch.randn(POINTS, generator=generator, dtype=torch.float64).cuda()
    y = torch.sin(6 * x[:, 0]) + x[:, 1] * x[:, 2] + 0.1 * noise
    logs = torch.zeros(6, dtype=torch.float64, device="cuda", requires_grad=True)
    optimizer = torch.optim.Adam([logs], lr=0.02)

    def step():
        scales, height, spread = logs[:4].exp(), logs[4].exp(), logs[5].exp()
        distances = torch.cdist(x / scales, x / scales).square()
        covariance = height * torch.exp(-0.5 * distances)
        covariance = covariance + (spread * 0.1 + 1e-4) * torch.eye(
            POINTS, dtype=torch.float64, device="cuda"
        )
        factor = torch.linalg.cholesky(covariance)
        weights = torch.cholesky_solve(y[:, None], factor)
        loss = 0.5 * (y @ weights[:, 0]) + factor.diagonal().log().sum()
        loss = loss + 0.5 * POINTS * math.log(2 * math.pi)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    measure.run("Gaussian process", step, wait=torch.cuda.synchronize, calls=STEPS, tolerance=1e-6)


if __name__ == "__main__":
    main()
