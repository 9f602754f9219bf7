"""Checks Triton's kernels on the software GPU. They are compiled for three targets without a GPU.
The script gives their PTX to the driver, because Triton itself would give it machine code."""

import ctypes
import os
import sys

import numpy as np
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../ptx"))
from driver import Driver  # noqa: E402

TARGETS = [75, 80, 90]


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + i, mask=i < columns, other=-float("inf"))
    e = tl.exp(values - tl.max(values, 0))
    tl.store(out + row * columns + i, e / tl.sum(e, 0), mask=i < columns)


@triton.jit
def product(a, b, out, N, K, SIDE: tl.constexpr):
    m = tl.program_id(0) * SIDE + tl.arange(0, SIDE)
    n = tl.program_id(1) * SIDE + tl.arange(0, SIDE)
    k = tl.arange(0, SIDE)
    sums = tl.zeros((SIDE, SIDE), dtype=tl.float32)
    for first in range(0, K, SIDE):
        sums += tl.dot(
            tl.load(a + m[:, None] * K + (first + k)[None, :]),
            tl.load(b + (first + k)[:, None] * N + n[None, :]),
        )
    tl.store(out + m[:, None] * N + n[None, :], sums)


def launch(driver, kernel, types, constants, target, grid, arguments):
    """Launches a kernel. `types` are those of the arguments, in Triton's notation. Arrays are
    copied to the device; integers are passed unchanged. Returns the contents of the argument
    `out`."""
    signature = {**types, **{name: "constexpr" for name in constants}}
    compiled = triton.compile(
        ASTSource(fn=kernel, signature=signature, constexprs=constants),
        target=GPUTarget("cuda", target, 32),
    )
    function = driver.function(driver.load(compiled.asm["ptx"]), compiled.metadata.name)
    places = {
        name: driver.buffer(a.tobytes()) if isinstance(a, np.ndarray) else ctypes.c_uint32(a)
        for name, a in zip(types, arguments)
    }
    # The two additional pointers are for scratch memory, which these kernels do not use.
    values = [*places.values(), ctypes.c_uint64(0), ctypes.c_uint64(0)]
    driver.launch(
        function, grid, [32 * compiled.metadata.num_warps, 1, 1], values, compiled.metadata.shared
    )
    out = arguments[list(types).index("out")]
    return np.frombuffer(driver.read(places["out"], out.nbytes), out.dtype).reshape(out.shape)


def steps(driver, target):
    random = np.random.default_rng(1)
    x, y = random.random(10_007, dtype="f4"), random.random(10_007, dtype="f4")
    types = {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32"}
    yield (
        "add",
        np.array_equal(
            launch(
                driver,
                add,
                types,
                {"BLOCK": 256},
                target,
                [40, 1, 1],
                [x, y, np.zeros_like(x), len(x)],
            ),
            x + y,
        ),
    )
    x = random.standard_normal((37, 200)).astype("f4")
    e = np.exp(x - x.max(1, keepdims=True))
    found = launch(
        driver,
        softmax,
        {"x": "*fp32", "out": "*fp32", "columns": "i32"},
        {"BLOCK": 256},
        target,
        [37, 1, 1],
        [x, np.zeros_like(x), 200],
    )
    yield "softmax", np.allclose(found, e / e.sum(1, keepdims=True), rtol=1e-5)
    a, b = (random.standard_normal((128, 128)).astype("f2") for _ in range(2))
    types = {"a": "*fp16", "b": "*fp16", "out": "*fp32", "N": "i32", "K": "i32"}
    found = launch(
        driver,
        product,
        types,
        {"SIDE": 32},
        target,
        [4, 4, 1],
        [a, b, np.zeros((128, 128), "f4"), 128, 128],
    )
    yield "product", np.allclose(found, a.astype("f4") @ b.astype("f4"), atol=1e-3)


def main():
    driver, failed = Driver("libcuda.so.1"), 0
    for target in TARGETS:
        for name, right in steps(driver, target):
            failed += not right
            print(f"{'ok' if right else 'FAILED':8} triton {name}, sm_{target}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
