"""Trains a transformer by DistributedDataParallel: on one GPU, and on two if there are two."""

import measure

# isort: split
import ranks
import torch
from torch import nn

STEPS = 15


def body(rank: int, world: int) -> None:
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(768, 12, 3072, dropout=0.0, batch_first=True)
    model = nn.TransformerEncoder(layer, 12, enable_nested_tensor=False).cuda()
    model = nn.parallel.DistributedDataParallel(model, device_ids=[rank])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    x = torch.randn(8, 256, 768, generator=torch.Generator().manual_seed(rank)).cuda()

    def step():
        with torch.autocast("cuda", torch.bfloat16):
            loss = (model(x).float() - x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.detach()

    measure.run(
        f"DDP, {world} GPU{'s' * (world > 1)}",
        step,
        wait=torch.cuda.synchronize,
        calls=STEPS,
        tolerance=0.02,
        limited=False,
        speaks=rank == 0,
    )


if __name__ == "__main__":
    for world in range(1, min(2, torch.cuda.device_count()) + 1):
        ranks.joined(body, world)
