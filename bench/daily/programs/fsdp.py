"""Trains a transformer by FSDP2 with each layer sharded: on one GPU, and on two if there are two.
Each step is deterministic, so a remote loss must equal the native loss bit for bit."""

import os

import measure

# cuBLAS is deterministic only if each stream has its own workspace.
os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"

# isort: split
import ranks
import torch
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.nn.attention import SDPBackend, sdpa_kernel

STEPS = 8


def body(rank: int, world: int) -> None:
    torch.manual_seed(0)
    torch.use_deterministic_algorithms(True)
    layer = nn.TransformerEncoderLayer(1024, 16, 4096, dropout=0.0, batch_first=True)
    model = nn.TransformerEncoder(layer, 12, enable_nested_tensor=False).cuda()
    for layer in model.layers:
        fully_shard(layer)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    x = torch.randn(8, 512, 1024, generator=torch.Generator().manual_seed(rank)).cuda()

    def step():
        # The other kinds of attention add gradients in any order.
        with torch.autocast("cuda", torch.bfloat16), sdpa_kernel(SDPBackend.MATH):
            loss = (model(x).float() - x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.detach()

    measure.run(
        f"FSDP2, {world} GPU{'s' * (world > 1)}",
        step,
        wait=torch.cuda.synchronize,
        calls=STEPS,
        limited=False,
        speaks=rank == 0,
    )


if __name__ == "__main__":
    for world in range(1, min(2, torch.cuda.device_count()) + 1):
        ranks.joined(body, world)
