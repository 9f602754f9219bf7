"""Runs a function in several processes, one for each GPU, joined by NCCL."""

import os
import tempfile

import torch


def joined(body, world: int) -> None:
    """Calls `body(rank, world)` in each of `world` processes, one for each GPU."""
    with tempfile.TemporaryDirectory() as folder:
        meet = f"file://{folder}/meet"
        torch.multiprocessing.spawn(_member, (world, meet, body), nprocs=world)
    # Later processes are not the first, so their first results do not count.
    os.environ["DAILY_BEGAN_S"] = ""


def _member(rank: int, world: int, meet: str, body) -> None:
    # NVLink's multicast can disable GPUs that others share when a process dies.
    os.environ.setdefault("NCCL_NVLS_ENABLE", "0")
    torch.cuda.set_device(rank)
    torch.distributed.init_process_group(
        "nccl",
        init_method=meet,
        rank=rank,
        world_size=world,
        device_id=torch.device("cuda", rank),
    )
    try:
        body(rank, world)
    finally:
        torch.distributed.destroy_process_group()
