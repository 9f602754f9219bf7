"""Triton and torch.compile: kernels compiled in the client's process for the remote device."""

import torch
import triton
import triton.language as tl

import steps


@triton.jit
def add(x, y, out, n, block: tl.constexpr):
    i = tl.program_id(0) * block + tl.arange(0, block)
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


@triton.jit
def multiply(a, b, c, n: tl.constexpr, tile: tl.constexpr):
    rows = tl.program_id(0) * tile + tl.arange(0, tile)
    columns = tl.program_id(1) * tile + tl.arange(0, tile)
    total = tl.zeros((tile, tile), tl.float32)
    for k in range(0, n, tile):
        inner = k + tl.arange(0, tile)
        total += tl.dot(
            tl.load(a + rows[:, None] * n + inner[None, :]),
            tl.load(b + inner[:, None] * n + columns[None, :]),
        )
    tl.store(c + rows[:, None] * n + columns[None, :], total)


def vector_add():
    x, y = torch.arange(10000.0, device="cuda"), torch.ones(10000, device="cuda")
    out = torch.empty_like(x)
    add[(triton.cdiv(10000, 1024),)](x, y, out, 10000, 1024)
    return str(out.sum().item())


def matmul():
    generator = torch.Generator().manual_seed(1)
    a, b = (torch.randn(256, 256, generator=generator).to("cuda", torch.bfloat16) for _ in range(2))
    c = torch.empty(256, 256, device="cuda")
    multiply[(4, 4)](a, b, c, 256, 64)
    return f"relative error {((c - a.float() @ b.float()).norm() / c.norm()).item():.1e}"


def compiled(mode):
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Linear(64, 128), torch.nn.GELU(), torch.nn.LayerNorm(128), torch.nn.Linear(128, 8)
    ).cuda()
    x = torch.arange(32 * 64, dtype=torch.float32).reshape(32, 64).cuda() / 1000
    run = torch.compile(model, mode=mode)
    for _ in range(4):
        y = run(x)
    error = (y - model(x)).abs().max().item()
    assert error < 1e-3, error
    return f"{y.sum().item():.3f}"


def attention():
    q, k, v = (
        torch.arange(1 * 4 * 128 * 64, dtype=torch.float32).reshape(1, 4, 128, 64).cuda().bfloat16()
        / 1e4
        + i
        for i in range(3)
    )
    from torch.nn.attention.flex_attention import flex_attention

    return f"{torch.compile(flex_attention)(q, k, v).float().mean().item():.3f}"


steps.run(
    {
        "vector add": vector_add,
        "bf16 matmul": matmul,
        "torch.compile": lambda: compiled("default"),
        "torch.compile, reduce-overhead": lambda: compiled("reduce-overhead"),
        "flex_attention": attention,
        "do_bench": lambda: (
            "ran"
            if triton.testing.do_bench(lambda: torch.zeros(1000, device="cuda")) > 0
            else "0 ms"
        ),
    }
)
