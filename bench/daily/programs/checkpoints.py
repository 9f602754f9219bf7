"""Trains a network and, after every five steps, saves model and optimizer to a file and loads them
again."""

import measure

# isort: split
import os
import tempfile

import torch
from torch import nn

STEPS, WIDTH = 5, 1024


def main():
    torch.manual_seed(0)
    model = nn.Sequential(*(nn.Linear(WIDTH, WIDTH) for _ in range(8))).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    x = torch.randn(256, WIDTH, generator=torch.Generator().manual_seed(1)).cuda()
    folder = tempfile.TemporaryDirectory()
    path = os.path.join(folder.name, "checkpoint.pt")

    def step():
        for _ in range(STEPS):
            loss = (model(x) - x).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, path)
        loaded = torch.load(path, map_location="cuda")
        model.load_state_dict(loaded["model"])
        optimizer.load_state_dict(loaded["optimizer"])
        return loss.detach()

    measure.run(
        "checkpoints", step, wait=torch.cuda.synchronize, calls=4, per=STEPS, tolerance=1e-3
    )


if __name__ == "__main__":
    main()
