"""Trains a transformer of six layers in PyTorch, with batches from pinned memory. One case reads
nothing back before the end of 200 steps, the other reads the loss in each of 40. Each case prints
the median, all times in ms and a checksum."""

import sys

import torch

from layers import measure

STEPS, STEPS_UNREAD = 40, 200


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(8192, 512)
        layer = torch.nn.TransformerEncoderLayer(512, 8, 2048, dropout=0.0, batch_first=True)
        self.layers = torch.nn.TransformerEncoder(layer, 6)
        self.head = torch.nn.Linear(512, 8192)

    def forward(self, tokens):
        return self.head(self.layers(self.embedding(tokens)))


def training(reads_loss: bool):
    torch.manual_seed(0)
    model = Model().cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.0)
    batches = [torch.randint(8192, (16, 257)).pin_memory() for _ in range(4)]

    def work():
        total = 0.0
        for step in range(STEPS if reads_loss else STEPS_UNREAD):
            tokens = batches[step % len(batches)].cuda(non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                scores = model(tokens[:, :-1])
            loss = torch.nn.functional.cross_entropy(
                scores.float().flatten(0, 1), tokens[:, 1:].flatten()
            )
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            if reads_loss:
                total += loss.item()
        return round(loss.item(), 2)

    return work


if __name__ == "__main__":
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    measure("torch-200-steps-unread", training(reads_loss=False), times)
    measure("torch-40-steps-loss-read", training(reads_loss=True), times)
