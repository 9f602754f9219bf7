"""Launches small kernels while the program has buffers of 1 GiB of pinned memory, of which it
copies 1 MiB now and then."""

import measure

# isort: split
import torch

BUFFERS, LAUNCHES, STEPS = 4, 100, 100


def main():
    buffers = [torch.empty(1 << 28, dtype=torch.uint8, pin_memory=True) for _ in range(BUFFERS)]
    for number, buffer in enumerate(buffers):
        buffer.fill_(number + 1)
    x = torch.zeros(4096, device="cuda")
    place = torch.zeros(1 << 20, dtype=torch.uint8, device="cuda")
    number = 0

    def step():
        nonlocal number
        buffer = buffers[number % BUFFERS]
        start = (number << 20) % buffer.numel()
        place.copy_(buffer[start : start + place.numel()], non_blocking=True)
        number += 1
        for _ in range(LAUNCHES):
            x.add_(1)
        return x[0].item() + place[:4096].float().mean().item()

    measure.run("pinned 1 GiB", step, wait=torch.cuda.synchronize, calls=STEPS, rounds=9)


if __name__ == "__main__":
    main()
