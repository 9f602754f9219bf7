"""Runs several workloads in one process, one after the other: an epoch of a pinned loader,
attention, sampled decoding, training in JAX, streams of CuPy."""

import measure

# isort: split
import os

import torch
from programs import cupy_streams, decoding, jax_training
from programs.resnet_pinned import BATCH, Pictures
from torch.utils.data import DataLoader

PICTURES = 2048


def loader():
    loader = DataLoader(Pictures(PICTURES), BATCH, num_workers=4, pin_memory=True)

    def epoch():
        total = torch.zeros((), device="cuda", dtype=torch.int64)
        for images, labels in loader:
            total += images.cuda(non_blocking=True).sum() + labels.cuda(non_blocking=True).sum()
        return total

    wait = torch.cuda.synchronize
    measure.run("pinned loader", epoch, wait=wait, per=PICTURES // BATCH, rounds=4)


def attention():
    generator = torch.Generator().manual_seed(1)
    parts = [torch.randn(4, 16, 1024, 64, generator=generator) for _ in range(3)]
    parts = [part.cuda().bfloat16().requires_grad_() for part in parts]

    def step():
        out = torch.nn.functional.scaled_dot_product_attention(*parts, is_causal=True)
        out.float().square().mean().backward()
        total = parts[0].grad.float().abs().mean()
        for part in parts:
            part.grad = None
        return total

    measure.run("attention", step, wait=torch.cuda.synchronize, calls=200, tolerance=0.01)


if __name__ == "__main__":
    measure.within = "mixed: "
    # By default, JAX would take three quarters of a GPU that PyTorch already uses.
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    for part in (loader, attention, decoding.main, jax_training.main, cupy_streams.main):
        part()
