"""Simulates a turbulent flow in two dimensions by Fourier transforms, and reads its energy every 25
steps."""

import measure

# isort: split
import math

import torch

SIDE, STEPS, TIME = 1024, 100, 2e-4


def main():
    generator = torch.Generator().manual_seed(1)
    waves = torch.fft.fftfreq(SIDE, 1 / SIDE, device="cuda")
    kx, ky = waves[:, None], torch.fft.rfftfreq(SIDE, 1 / SIDE, device="cuda")[None]
    squares = kx**2 + ky**2
    inverse = torch.where(squares > 0, 1 / squares.clamp(min=1), 0.0)
    kept = ((kx.abs() < SIDE / 3) & (ky.abs() < SIDE / 3)).float()
    noise = torch.randn(SIDE, SIDE, generator=generator).cuda()
    # Vortices of some size: high waves are left out.
    start = torch.fft.rfft2(noise) * torch.exp(-squares / 200)
    start = start * (SIDE * SIDE / start.abs().square().sum().sqrt() * 5)

    def change(vortices):
        stream = vortices * inverse
        right, up = (torch.fft.irfft2(1j * k * stream) for k in (ky, -kx))
        dx, dy = (torch.fft.irfft2(1j * k * vortices) for k in (kx, ky))
        return -kept * torch.fft.rfft2(right * dx + up * dy) - 1e-4 * squares * vortices

    def flow():
        vortices, total = start, 0.0
        for number in range(STEPS):
            half = vortices + 0.5 * TIME * change(vortices)
            vortices = vortices + TIME * change(half)
            if number % 25 == 24:
                energy = (vortices.abs().square() * inverse).sum().item()
                total += math.log(energy)
        return total

    measure.run("FFT", flow, wait=torch.cuda.synchronize, per=STEPS, tolerance=1e-4)


if __name__ == "__main__":
    main()
