"""Other uses of PyTorch: loaders with pinned memory, autocast, several threads and processes,
allocator settings, profiling."""

import os
import subprocess
import sys
import threading

import torch

import steps


class Squares(torch.utils.data.Dataset):
    def __len__(self):
        return 512

    def __getitem__(self, i):
        return torch.full((64,), float(i)), i * i


def loader():
    total = 0
    for x, y in torch.utils.data.DataLoader(
        Squares(), batch_size=64, num_workers=2, pin_memory=True
    ):
        assert x.is_pinned()
        total += int(y.cuda(non_blocking=True).sum().item()) + int(
            x.cuda(non_blocking=True)[:, 0].sum().item()
        )
    return str(total)


def autocast():
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Linear(256, 256), torch.nn.GELU(), torch.nn.Linear(256, 16)
    ).cuda()
    scaler = torch.amp.GradScaler("cuda")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    x = torch.randn(128, 256, generator=torch.Generator().manual_seed(3)).cuda()
    for _ in range(10):
        with torch.autocast("cuda", torch.float16):
            loss = torch.nn.functional.cross_entropy(
                model(x), torch.arange(128, device="cuda") % 16
            )
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
    return f"loss {loss.item():.4f}, scale {scaler.get_scale():.0f}"


def threads():
    results = [None] * 8

    def work(i):
        with torch.cuda.stream(torch.cuda.Stream()):
            x = torch.full((1 << 18,), float(i), device="cuda", requires_grad=True)
            (x * x).sum().backward()
            results[i] = x.grad.sum().item()

    workers = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    [w.start() for w in workers], [w.join() for w in workers]
    return str([int(r) >> 18 for r in results])


def several_processes():
    program = (
        "import torch; x = torch.randn(1024, 1024, device='cuda', "
        "generator=torch.Generator('cuda').manual_seed(1)); print(f'{(x @ x).sum().item():.3f}')"
    )
    running = [
        subprocess.Popen([sys.executable, "-P", "-c", program], stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    outputs = {p.communicate(timeout=150)[0].strip() for p in running}
    return f"4 processes, {len(outputs)} result: {outputs.pop()}"


def memory():
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    x = torch.empty(64 << 20, dtype=torch.uint8, device="cuda")
    held, peak = torch.cuda.memory_allocated() - before, torch.cuda.max_memory_allocated() - before
    snapshot = len(torch.cuda.memory_snapshot()) > 0
    free = torch.cuda.mem_get_info()[0]
    del x
    torch.cuda.empty_cache()
    return (
        f"{held >> 20} MiB held, {peak >> 20} at most, snapshot {snapshot},"
        f" returned {torch.cuda.mem_get_info()[0] > free}"
    )


def allocator(settings):
    program = (
        "import torch\nkept = []\nfor i in range(200):\n    kept.append(torch.full((1 + (i * 7919) "
        "% 3000000,), i, dtype=torch.int32, device='cuda'))\n"
        "    if i % 3 == 2: kept.pop(i % len(kept))\nprint(sum(int(x.long().sum().item()) for x in "
        "kept))"
    )
    env = dict(os.environ, PYTORCH_CUDA_ALLOC_CONF=settings)
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], env=env, capture_output=True, text=True, timeout=150
    )
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


def profiler():
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        torch.ones(1000, device="cuda").add_(1)
    torch.cuda.nvtx.range_push("a range")
    torch.cuda.nvtx.range_pop()
    torch.cuda.cudart().cudaProfilerStart()
    torch.cuda.cudart().cudaProfilerStop()
    return f"aten::add_ seen: {any(e.key == 'aten::add_' for e in profile.key_averages())}"


def cooperative():
    kernel = torch.cuda._compile_kernel(
        "extern \"C\" __global__ void k(float* x, int n) { int i = blockIdx.x * blockDim.x + "
        "threadIdx.x; if (i < n) x[i] = 3 * x[i] + 1; }",
        "k",
    )
    x = torch.ones(1000, device="cuda")
    kernel((4, 1, 1), (256, 1, 1), (x, 1000))
    return f"{x.sum().item():.0f}"


def sleeping_stream():
    """Checks that an event that has not happened yet is not reported as done."""
    event, stream = torch.cuda.Event(), torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)
        event.record()
    early = event.query()
    event.synchronize()
    return f"early {early}, late {event.query()}"


def host_register():
    x = torch.arange(1 << 20, dtype=torch.float32)
    assert torch.cuda.cudart().cudaHostRegister(x.data_ptr(), x.nbytes, 0) == 0
    y = x.to("cuda", non_blocking=True)
    torch.cuda.synchronize()
    assert torch.cuda.cudart().cudaHostUnregister(x.data_ptr()) == 0
    return f"equal {torch.equal(y.cpu(), x)}"


def attention():
    q, k, v = (
        torch.randn(4, 8, 256, 64, generator=torch.Generator().manual_seed(i)).cuda().bfloat16()
        for i in range(3)
    )
    out = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    return f"{out.float().abs().sum().item():.3f}"


def partial_graph():
    model = torch.nn.Linear(64, 64).cuda()
    graphed = torch.cuda.make_graphed_callables(
        model, (torch.randn(8, 64, device="cuda", requires_grad=True),)
    )
    x = torch.ones(8, 64, device="cuda", requires_grad=True)
    y = graphed(x)
    y.sum().backward()
    return (
        f"equal {torch.allclose(y, model.weight.sum(1) + model.bias)}, gradient"
        f" {torch.allclose(x.grad, model.weight.sum(0).expand(8, -1))}"
    )


steps.run(
    {
        "DataLoader, pinned": loader,
        "autocast and GradScaler": autocast,
        "eight threads, eight streams": threads,
        "four processes at once": several_processes,
        "memory statistics": memory,
        "expandable segments": lambda: allocator("expandable_segments:True"),
        "cudaMallocAsync": lambda: allocator("backend:cudaMallocAsync"),
        "profiler and NVTX": profiler,
        "a kernel by NVRTC": cooperative,
        "an event not done yet": sleeping_stream,
        "cudaHostRegister": host_register,
        "attention": attention,
        "graphed callables": partial_graph,
    }
)
