"""Decomposes and solves: singular values, QR, eigenvalues, a linear system and least squares of
matrices in turn. A number of each is read back."""

import measure

# isort: split
import torch

STEPS = 4


def main():
    generator = torch.Generator().manual_seed(1)

    def matrix(*shape):
        return torch.randn(*shape, generator=generator).cuda()

    square, tall, large = matrix(384, 384), matrix(2048, 512), matrix(2048, 2048)
    small = matrix(64, 48, 48)
    right, unit = matrix(2048, 16), torch.eye(384, device="cuda")

    def step():
        total = torch.linalg.svdvals(square).sum().item()
        q, r = torch.linalg.qr(tall)
        total += (q @ r).norm().item() + r.diagonal().abs().sum().item()
        total += torch.linalg.eigvalsh(square @ square.T + unit).log().sum().item()
        total += (large @ torch.linalg.solve(large, right)).norm().item()
        total += torch.linalg.lstsq(tall, right).solution.norm().item()
        total += torch.linalg.svd(small, full_matrices=False).S.sum().item()
        return total

    measure.run("linear algebra", step, wait=torch.cuda.synchronize, calls=STEPS, tolerance=1e-3)


if __name__ == "__main__":
    main()
