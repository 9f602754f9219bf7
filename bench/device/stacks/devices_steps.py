"""Two GPUs of one node: in one process, and in two that NCCL joins. Needs two GPUs."""

import os
import socket
import tempfile

import torch
import torch.multiprocessing as processes

import steps

LARGE = 64 << 20


def pattern(device, salt=0, count=1 << 20):
    return (
        torch.arange(count, device=device, dtype=torch.int64)
        .mul_(2654435761)
        .add_(salt)
        .bitwise_and_(0xFFFFFF)
    )


def peer_copies():
    for source, target in ((0, 1), (1, 0)):
        x = pattern(f"cuda:{source}", source)
        y = torch.empty_like(x, device=f"cuda:{target}")
        y.copy_(x, non_blocking=True)
        assert torch.equal(y.cpu(), x.cpu())
    return "equal both ways"


def ordered_peer_copies():
    """Checks a copy between a kernel of one device and a kernel of the other."""
    x = torch.zeros(1 << 22, device="cuda:0")
    total = torch.zeros((), device="cuda:1", dtype=torch.float64)
    for i in range(20):
        x.fill_(i)
        total += x.to("cuda:1", non_blocking=True).sum(dtype=torch.float64)
    return f"{total.item():.0f}"


def data_parallel():
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10)
    ).cuda()
    parallel = torch.nn.DataParallel(model, [0, 1])
    x = torch.randn(64, 64, generator=torch.Generator().manual_seed(1)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(10):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(parallel(x), torch.arange(64, device="cuda") % 10)
        loss.backward()
        optimizer.step()
    return f"loss {loss.item():.5f}"


def nccl_in_one_process():
    tensors = [pattern(f"cuda:{i}", i).float() for i in range(2)]
    expected = tensors[0].cpu() + tensors[1].cpu()
    torch.cuda.nccl.all_reduce(tensors)
    torch.cuda.synchronize(0), torch.cuda.synchronize(1)
    assert all(torch.equal(t.cpu(), expected) for t in tensors)
    return "all_reduce equal"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def member(rank, port, body, path):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.cuda.set_device(rank)
    torch.distributed.init_process_group("nccl", rank=rank, world_size=2)
    try:
        result = body(rank)
    finally:
        torch.distributed.destroy_process_group()
    if rank == 0:
        with open(path, "w") as file:
            file.write(result)


def joined(body):
    with tempfile.NamedTemporaryFile("r") as file:
        processes.spawn(member, (free_port(), body, file.name), nprocs=2)
        return file.read()


def collectives(rank):
    group = torch.distributed
    x = pattern("cuda", rank).float()
    other = pattern("cuda", 1 - rank).float()
    summed = x.clone()
    group.all_reduce(summed)
    assert torch.equal(summed, x + other)
    gathered = [torch.empty_like(x) for _ in range(2)]
    group.all_gather(gathered, x)
    assert torch.equal(gathered[1 - rank], other) and torch.equal(gathered[rank], x)
    first = x.clone()
    group.broadcast(first, 0)
    assert torch.equal(first, x if rank == 0 else other)
    received = torch.empty_like(x)
    if rank == 0:
        group.send(x, 1), group.recv(received, 1)
    else:
        group.recv(received, 0), group.send(x, 0)
    assert torch.equal(received, other)
    group.barrier()
    return "all_reduce, all_gather, broadcast, send"


def all_reduce_rate(rank):
    x = torch.ones(LARGE, device="cuda")
    torch.distributed.all_reduce(x)

    def run():
        torch.distributed.all_reduce(x)
        torch.cuda.synchronize()

    us = steps.median_us(run, 5)
    return f"{x.nbytes / us / 1e3:.1f} GB/s"


def distributed_training(rank):
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10)
    ).cuda()
    model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(64, 64, generator=torch.Generator().manual_seed(rank)).cuda()
    for _ in range(10):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), torch.arange(64, device="cuda") % 10)
        loss.backward()
        optimizer.step()
    return f"loss {loss.item():.5f}"


def borrower(inbox, outbox):
    tensor = inbox.get()
    tensor.mul_(2)
    torch.cuda.synchronize()
    outbox.put(float(tensor.sum(dtype=torch.float64).item()))
    del tensor
    inbox.get()


def shared_tensor():
    context = processes.get_context("spawn")
    inbox, outbox = context.Queue(), context.Queue()
    process = context.Process(target=borrower, args=(inbox, outbox))
    process.start()
    x = torch.ones(1 << 20, device="cuda")
    inbox.put(x)
    seen = outbox.get(timeout=120)
    torch.cuda.synchronize()
    own = x.sum(dtype=torch.float64).item()
    inbox.put(None)
    process.join(60)
    return f"{seen:.0f} there, {own:.0f} here, exit {process.exitcode}"


def peer_rate():
    x, y = torch.ones(LARGE, device="cuda:0"), torch.empty(LARGE, device="cuda:1")

    def run():
        y.copy_(x)
        torch.cuda.synchronize(0), torch.cuda.synchronize(1)

    run()
    return f"{x.nbytes / steps.median_us(run, 3) / 1e3:.1f} GB/s"


if __name__ == "__main__":
    steps.run(
        {
            "devices": lambda: str(torch.cuda.device_count()),
            "peer access": lambda: str(torch.cuda.can_device_access_peer(0, 1)),
            "peer copies": peer_copies,
            "peer copies in order": ordered_peer_copies,
            "peer copy of 256 MiB": peer_rate,
            "DataParallel": data_parallel,
            "NCCL in one process": nccl_in_one_process,
            "NCCL, two processes": lambda: joined(collectives),
            "DistributedDataParallel": lambda: joined(distributed_training),
            "all_reduce of 256 MiB": lambda: joined(all_reduce_rate),
            "a tensor of another process": shared_tensor,
        }
    )
