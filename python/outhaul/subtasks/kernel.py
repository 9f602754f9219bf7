"""GPU kernels as functions of partitions: CUDA source, and kernels of CuPy (RawKernel), Numba and
Triton. A kernel writes its result into its last array argument, the partition, without a copy."""

import functools
from dataclasses import dataclass, field
from typing import Any

import numpy as np

BLOCK = 256


@dataclass(frozen=True)
class Kernel:
    """A kernel. `arguments(inputs, out)` returns its arguments, `grid(inputs, out)` its grid; both
    are optional."""

    kernel: Any
    name: str = None
    grid: Any = None
    block: Any = BLOCK
    arguments: Any = None
    options: tuple = field(default=())

    @property
    def __name__(self):
        return (
            self.name
            or getattr(self.kernel, "__name__", None)
            or getattr(self.kernel, "name", "kernel")
        )

    @property
    def key(self):
        return (
            self.kernel
            if isinstance(self.kernel, str)
            else f"{type(self.kernel).__module__}.{self.__name__}"
        )

    def launch(self, device, inputs, out):
        if device.xp is np:
            raise NotImplementedError(
                'a GPU kernel cannot run on the backend "host": use a GPU, or `outhaul run --gpu '
                'soft -- python ...`'
            )
        block = self.block if isinstance(self.block, tuple) else (self.block,)
        grid = (
            self.grid(inputs, out)
            if callable(self.grid)
            else self.grid or (-(-max(1, out.size) // block[0]),)
        )
        LAUNCHERS[kind_of(self.kernel)](self, grid, block, inputs, out)

    def arguments_of(self, inputs, out, *default):
        return tuple(self.arguments(inputs, out)) if self.arguments else default


def kernel(source, name=None, *, grid=None, block=BLOCK, arguments=None, options=()):
    """Returns a kernel as a function for `map` and `zip`. `source` is CUDA source, with the
    kernel's `name`, or a cupy.RawKernel, or a Numba or Triton kernel. By default, the kernel gets
    the partitions, the result and, except with Numba, the number of the result's elements (long
    long). By default, it runs one thread for each element, in blocks of `block` threads. Raises
    ValueError for CUDA source without a name."""
    if isinstance(source, str) and name is None:
        raise ValueError("kernel: CUDA source needs the kernel's name")
    return Kernel(source, name, grid, block, arguments, tuple(options))


def as_function(f):
    """Returns the argument of `map`, with a kernel wrapped."""
    return Kernel(f) if not isinstance(f, Kernel) and kind_of(f) in LAUNCHERS else f


def kind_of(f):
    """Returns the kind of a kernel, or "function"."""
    if isinstance(f, str):
        return "source"
    module, name = type(f).__module__, type(f).__name__
    if name == "RawKernel" and module.startswith("cupy"):
        return "raw"
    if module.startswith(("numba.cuda", "numba_cuda")):
        return "numba"
    return "triton" if module.startswith("triton.") and hasattr(f, "warmup") else "function"


@functools.lru_cache(maxsize=256)
def compiled(source, name, options):
    """Returns CuPy's kernel of CUDA source."""
    import cupy

    return cupy.RawKernel(source, name, options=options)


def launch_raw(wrapped, grid, block, inputs, out):
    """Launches CUDA source, or a RawKernel of CuPy."""
    raw = (
        compiled(wrapped.kernel, wrapped.name, wrapped.options)
        if isinstance(wrapped.kernel, str)
        else wrapped.kernel
    )
    raw(grid, block, wrapped.arguments_of(inputs, out, *inputs, out, np.int64(out.size)))


def launch_numba(wrapped, grid, block, inputs, out):
    """Launches a kernel of Numba on CuPy's current stream."""
    import cupy
    from numba import cuda

    stream = cuda.external_stream(cupy.cuda.get_current_stream().ptr)
    wrapped.kernel[grid, block, stream](*wrapped.arguments_of(inputs, out, *inputs, out))


def launch_triton(wrapped, grid, block, inputs, out):
    """Launches a Triton kernel. Triton uses PyTorch's current stream and tensors; the block size is
    the kernel's own constant BLOCK."""
    import cupy
    import torch

    tensors = [torch.from_dlpack(array) for array in (*inputs, out)]
    with torch.cuda.stream(torch.cuda.ExternalStream(cupy.cuda.get_current_stream().ptr)):
        wrapped.kernel[grid](
            *wrapped.arguments_of(tensors[:-1], tensors[-1], *tensors, out.size), BLOCK=block[0]
        )


LAUNCHERS = {
    "source": launch_raw,
    "raw": launch_raw,
    "numba": launch_numba,
    "triton": launch_triton,
}
