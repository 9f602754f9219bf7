"""CuPy: elementwise and reduction kernels, cuBLAS, cuFFT, cuSOLVER, cuSPARSE, cuRAND, sort,
RawKernel, streams, pools, graphs, managed memory."""

import cupy as cp
import numpy as np

import steps

SOURCE = r"""
extern "C" __global__ void scale(const float* x, float* y, float k, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = k * x[i];
}
"""


def raw_kernel():
    kernel = cp.RawKernel(SOURCE, "scale")
    x, y = cp.arange(1000, dtype=cp.float32), cp.zeros(1000, dtype=cp.float32)
    kernel((8,), (128,), (x, y, cp.float32(3), 1000))
    return str(float(y.sum()))


def graph():
    stream = cp.cuda.Stream(non_blocking=True)
    x = cp.zeros(100)
    with stream:
        x + 1
        stream.begin_capture()
        x += 1
        captured = stream.end_capture()
        for _ in range(5):
            captured.launch(stream)
    stream.synchronize()
    return str(float(x.sum()))


def managed():
    with cp.cuda.using_allocator(cp.cuda.MemoryPool(cp.cuda.malloc_managed).malloc):
        x = cp.arange(100) * 2
        return str(int(x.sum()))


def mapped():
    memory = cp.cuda.alloc_pinned_memory(400)
    host = np.frombuffer(memory, np.float32, 100)
    host[:] = 2
    device = cp.asarray(host)
    return str(float(device.sum()))


def texture():
    channel = cp.cuda.texture.ChannelFormatDescriptor(
        32, 0, 0, 0, cp.cuda.runtime.cudaChannelFormatKindFloat
    )
    array = cp.cuda.texture.CUDAarray(channel, 16, 16)
    array.copy_from(cp.arange(256, dtype=cp.float32).reshape(16, 16))
    resource = cp.cuda.texture.ResourceDescriptor(
        cp.cuda.runtime.cudaResourceTypeArray, cuArr=array
    )
    description = cp.cuda.texture.TextureDescriptor(
        (cp.cuda.runtime.cudaAddressModeClamp,) * 2,
        cp.cuda.runtime.cudaFilterModeLinear,
        cp.cuda.runtime.cudaReadModeElementType,
    )
    texture = cp.cuda.texture.TextureObject(resource, description)
    kernel = cp.RawKernel(
        r"""
extern "C" __global__ void sample(cudaTextureObject_t t, float* y) { y[threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.75f, threadIdx.x + 0.5f); }
""",
        "sample",
    )
    y = cp.zeros(16, dtype=cp.float32)
    kernel((1,), (16,), (texture, y))
    return str(float(y.sum()))


steps.run(
    {
        "device": lambda: cp.cuda.runtime.getDeviceProperties(0)["name"].decode(),
        "elementwise": lambda: f"{float(cp.sin(cp.arange(10000.0)).sum()):.6f}",
        "reduction": lambda: f"{float(cp.linalg.norm(cp.arange(1000.0))):.4f}",
        "matmul fp32": lambda: str(
            float((cp.ones((512, 512), cp.float32) @ cp.ones((512, 512), cp.float32)).sum())
        ),
        "matmul fp64": lambda: str(float((cp.ones((256, 256)) @ cp.ones((256, 256))).sum())),
        "fft": lambda: f"{float(cp.abs(cp.fft.fft(cp.arange(4096.0))).sum()):.3f}",
        "sort": lambda: str(cp.sort(cp.asarray([3, 1, 2])).tolist()),
        "solve": lambda: f"{float(cp.linalg.solve(cp.eye(64) * 2, cp.ones(64)).sum()):.3f}",
        "svd": lambda: f"{float(cp.linalg.svd(cp.arange(64.0).reshape(8, 8))[1].sum()):.4f}",
        "random": lambda: f"{float(cp.random.default_rng(7).standard_normal(1000).sum()):.5f}",
        "RawKernel": raw_kernel,
        "graph": graph,
        "pinned memory": mapped,
        "managed memory": managed,
        "texture": texture,
        "memory": lambda: f"{cp.cuda.runtime.memGetInfo()[1] >> 30} GiB",
    }
)
