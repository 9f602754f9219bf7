"""Trains a transformer on sentences padded to the longest of each batch, so that each step has
another shape."""

import measure

# isort: split
import torch
from torch import nn

BATCH, STEPS = 32, 40


def main():
    torch.manual_seed(0)
    embedding = nn.Embedding(8192, 512, padding_idx=0)
    layer = nn.TransformerEncoderLayer(512, 8, 2048, dropout=0.0, batch_first=True)
    layers = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)
    model = nn.ModuleList([embedding, layers, nn.Linear(512, 4)]).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    generator = torch.Generator().manual_seed(1)

    def batch():
        lengths = torch.randint(8, 257, (BATCH,), generator=generator).tolist()
        rows = [torch.randint(1, 8192, (length,), generator=generator) for length in lengths]
        return nn.utils.rnn.pad_sequence(rows, batch_first=True)

    def step():
        words = batch()
        classes = words[:, 0] % 4
        words = words.cuda()
        padding = words == 0
        h = layers(embedding(words), src_key_padding_mask=padding)
        held = (~padding)[..., None]
        mean = (h * held).sum(1) / held.sum(1)
        loss = nn.functional.cross_entropy(model[2](mean), classes.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.detach()

    measure.run("dynamic shapes", step, wait=torch.cuda.synchronize, calls=STEPS, tolerance=0.02)


if __name__ == "__main__":
    main()
