"""Trains a small network from a TensorDataset, whose batches this process itself assembles in fresh
pageable memory."""

import measure

# isort: split
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

BATCH, PICTURES = 64, 2048


def main():
    torch.manual_seed(0)
    torch.backends.cudnn.deterministic = True
    generator = torch.Generator().manual_seed(1)
    images = torch.randint(0, 256, (PICTURES, 3, 224, 224), dtype=torch.uint8, generator=generator)
    labels = torch.randint(0, 10, (PICTURES,), generator=generator)
    loader = DataLoader(TensorDataset(images, labels), BATCH, shuffle=True)
    model = nn.Sequential(
        nn.Conv2d(3, 32, 7, stride=4),
        nn.ReLU(),
        nn.Conv2d(32, 64, 3, stride=2),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(64, 10),
    ).cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)

    def epoch():
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.cuda().float() / 255), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return loss

    measure.run(
        "TensorDataset loader",
        epoch,
        wait=torch.cuda.synchronize,
        per=PICTURES // BATCH,
        rounds=8,
        tolerance=0.01,
    )


if __name__ == "__main__":
    main()
