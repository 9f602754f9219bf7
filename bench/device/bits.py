#!/usr/bin/env python3
"""Repeats steps whose result must have the same bits each time, and names each word that differs.

    bits.py [SECONDS]      60 unless given; needs PyTorch

Each step copies fresh host memory to the GPU, computes and reads the result back. The first round
is the reference, and its hash is printed: that of a native run and that of a remote run must be the
same. Ends with 1 if a round differed.
"""

import hashlib
import os
import sys
import time

os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"

import torch

WORDS_SHOWN_MAX = 8


def seeded(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0))


def pageable(x=seeded(1 << 20)):
    return torch.sin(x.clone().cuda() * 2 + 1).cpu()


def pinned(x=seeded(1 << 20).pin_memory()):
    y = torch.empty(1 << 20).pin_memory()
    y.copy_(torch.sin(x.cuda(non_blocking=True) * 2 + 1), non_blocking=True)
    torch.cuda.synchronize()
    return y


def small(x=seeded(1 << 12)):
    """As many small copies as one large one, each read back in the same call."""
    return torch.cat([torch.sin(part.cuda()).cpu() for part in x.split(512)])


def training():
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Linear(512, 1024), torch.nn.GELU(), torch.nn.Linear(1024, 512)
    ).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for batch in seeded(10, 256, 512):
        x = batch.cuda()
        optimizer.zero_grad()
        (model(x) - x).square().mean().backward()
        optimizer.step()
    return torch.cat([p.detach().flatten() for p in model.parameters()]).cpu()


def words(tensor):
    return tensor.contiguous().view(torch.int32)


def main():
    end = time.monotonic() + float(sys.argv[1] if len(sys.argv) > 1 else 60)
    torch.use_deterministic_algorithms(True)
    steps = (pageable, pinned, small, training)
    references = {step: words(step()).clone() for step in steps}
    for step, reference in references.items():
        digest = hashlib.sha256(reference.numpy().tobytes()).hexdigest()[:16]
        print(f"{step.__name__:10} {digest}", flush=True)
    rounds = differed = 0
    while time.monotonic() < end:
        rounds += 1
        for step, reference in references.items():
            got = words(step())
            wrong = (got != reference).nonzero().flatten()
            if len(wrong):
                differed += 1
                shown = [
                    f"{i}: {int(reference[i]):08x} {int(got[i]):08x}"
                    for i in wrong[:WORDS_SHOWN_MAX]
                ]
                print(f"{step.__name__}, round {rounds}: {len(wrong)} words differ: {shown}")
    print(f"{rounds} rounds of {len(steps)} steps, {differed} of them differed")
    return 1 if differed else 0


if __name__ == "__main__":
    sys.exit(main())
