"""Runs steps in PyTorch and measures a few of its operations. Prints one line for each step, so
that two runs can be compared."""

import torch

import steps


def close(a, b, tolerance):
    error = ((a.double() - b.double()).norm() / b.double().norm()).item()
    assert error < tolerance, f"relative error {error}"
    return f"relative error {error:.1e}"


def seeded(*shape):
    generator = torch.Generator().manual_seed(7)
    return torch.randn(*shape, generator=generator)


def matmul(dtype, tolerance):
    a, b = seeded(512, 512), seeded(512, 512)
    return close((a.to("cuda", dtype) @ b.to("cuda", dtype)).cpu(), a @ b, tolerance)


def elementwise():
    x = seeded(1 << 20)
    return close(torch.sin(x.cuda() * 2 + 1).cpu(), torch.sin(x * 2 + 1), 1e-6)


def convolution():
    x, w = seeded(4, 3, 32, 32), seeded(8, 3, 3, 3)
    return close(
        torch.nn.functional.conv2d(x.cuda(), w.cuda(), padding=1).cpu(),
        torch.nn.functional.conv2d(x, w, padding=1),
        1e-2,
    )


def events():
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    x = torch.zeros(1 << 24, device="cuda")
    start.record()
    for _ in range(10):
        x.add_(1)
    end.record()
    end.synchronize()
    assert start.elapsed_time(end) > 0
    return f"{start.elapsed_time(end):.3f} ms"


def backward():
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10)
    ).cuda()
    x, y = seeded(32, 64).cuda(), torch.arange(32).cuda() % 10
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(20):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
    return f"loss {loss.item():.5f}"


def pinned():
    host = seeded(1 << 22).pin_memory()
    back = torch.empty_like(host).pin_memory()
    back.copy_(host.cuda(non_blocking=True), non_blocking=True)
    torch.cuda.synchronize()
    assert torch.equal(back, host)
    return "equal"


def graph():
    x = torch.ones(1024, device="cuda")
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        x.mul_(1)
    torch.cuda.current_stream().wait_stream(stream)
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        x.mul_(2)
    for _ in range(3):
        captured.replay()
    torch.cuda.synchronize()
    return f"{x[0].item()}"


def launch_cost():
    x = torch.zeros(1, device="cuda")
    torch.cuda.synchronize()
    return f"{steps.median_us(lambda: x.add_(1), 2000):.2f} us"


def item_cost():
    x = torch.zeros(1, device="cuda")
    return f"{steps.median_us(x.item, 500):.2f} us"


def copy_rate(pin, to_device):
    host = torch.empty(256 << 20, dtype=torch.uint8, pin_memory=pin)
    device = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
    target, source = (device, host) if to_device else (host, device)

    def run():
        target.copy_(source)
        torch.cuda.synchronize()

    run()
    return f"{(256 << 20) / steps.median_us(run, 1) / 1e3:.2f} GB/s"


STEPS = {
    "device name": lambda: torch.cuda.get_device_name(),
    "a tensor there and back": lambda: str(torch.arange(5, device="cuda").cpu().tolist()),
    "elementwise": elementwise,
    "a @ b fp32": lambda: matmul(torch.float32, 1e-3),
    "a @ b fp16": lambda: matmul(torch.float16, 1e-2),
    "a @ b bf16": lambda: matmul(torch.bfloat16, 1e-2),
    "pinned copies": pinned,
    "events": events,
    "training step": backward,
    "convolution": convolution,
    "sort": lambda: str(
        bool((seeded(10000).cuda().sort().values.cpu() == seeded(10000).sort().values).all())
    ),
    "fft": lambda: close(
        torch.fft.rfft(seeded(4096).cuda()).abs().cpu(), torch.fft.rfft(seeded(4096)).abs(), 1e-4
    ),
    "cholesky": lambda: close(
        torch.linalg.cholesky(torch.eye(64).cuda() * 4).cpu(), torch.eye(64) * 2, 1e-5
    ),
    "memory": lambda: f"{torch.cuda.mem_get_info()[1] >> 30} GiB",
    "out of memory": lambda: oom(),
    "CUDA graph": graph,
    "x.add_(1)": launch_cost,
    "x.item()": item_cost,
    "256 MiB to device, pinned": lambda: copy_rate(True, True),
    "256 MiB to host, pinned": lambda: copy_rate(True, False),
    "256 MiB to device, pageable": lambda: copy_rate(False, True),
    "256 MiB to host, pageable": lambda: copy_rate(False, False),
}


def oom():
    try:
        torch.empty(1 << 42, dtype=torch.uint8, device="cuda")
    except torch.cuda.OutOfMemoryError:
        return "raised, and " + str(torch.ones(2, device="cuda").sum().item())
    raise AssertionError("4 TiB were allocated")


steps.run(STEPS)
