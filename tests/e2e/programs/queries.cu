// What programs ask about devices, kernels, occupancy and pointers before they do anything.
#include <cuda_runtime.h>

#include <cstring>

#include "check.h"

__global__ void __launch_bounds__(256) kernel(float* data, float factor) {
    __shared__ float values[128];
    values[threadIdx.x % 128] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = values[127 - threadIdx.x % 128] * factor;
}

static void device_queries() {
    int count = 0, driver = 0, runtime = 0, device = -1;
    CHECK(cudaGetDeviceCount(&count));
    EXPECT(count >= 1, "no device");
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaRuntimeGetVersion(&runtime));
    // Linked against another minor version than compiled for, which CUDA allows.
    EXPECT(driver >= 12000 && runtime / 1000 == CUDART_VERSION / 1000,
           "driver %d, runtime %d, compiled for %d", driver, runtime, CUDART_VERSION);
    CHECK(cudaSetDevice(0));
    CHECK(cudaGetDevice(&device));
    EXPECT(device == 0, "the current device is %d", device);

    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    EXPECT(properties.name[0] != 0 && std::memchr(properties.name, 0, sizeof properties.name),
           "the device has no name");
    EXPECT(properties.major * 10 + properties.minor >= 75, "compute capability %d.%d",
           properties.major, properties.minor);
    EXPECT(properties.warpSize == 32, "a warp of %d", properties.warpSize);
    EXPECT(properties.maxThreadsPerBlock == 1024, "%d threads per block",
           properties.maxThreadsPerBlock);
    EXPECT(properties.sharedMemPerBlock >= 48 << 10, "%zu bytes of shared memory",
           properties.sharedMemPerBlock);
    EXPECT(properties.unifiedAddressing, "no unified addressing");
    int value = -1;
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    EXPECT(value == properties.multiProcessorCount && value > 0, "%d and %d processors", value,
           properties.multiProcessorCount);
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0));
    EXPECT(value == properties.major, "major %d and %d", value, properties.major);

    size_t available = 0, total = 0;
    CHECK(cudaMemGetInfo(&available, &total));
    EXPECT(available > 0 && available <= total, "%zu of %zu bytes are free", available, total);
    EXPECT(total <= properties.totalGlobalMem, "%zu bytes in all, %zu in the properties", total,
           properties.totalGlobalMem);

    char bus[32];
    int back = -1;
    CHECK(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    CHECK(cudaDeviceGetByPCIBusId(&back, bus));
    EXPECT(back == 0, "bus %s is device %d", bus, back);

    cudaDeviceProp wanted = properties;
    CHECK(cudaChooseDevice(&back, &wanted));
    unsigned int flags = 99;
    CHECK(cudaGetDeviceFlags(&flags));
    size_t limit = 0;
    CHECK(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
    EXPECT(limit > 0, "a stack of no size");
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
}

static void kernel_queries() {
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, kernel));
    EXPECT(attributes.maxThreadsPerBlock == 256, "%d threads per block",
           attributes.maxThreadsPerBlock);
    EXPECT(attributes.sharedSizeBytes == 512, "%zu bytes of shared memory",
           attributes.sharedSizeBytes);
    EXPECT(attributes.numRegs > 0, "%d registers", attributes.numRegs);
    EXPECT(attributes.ptxVersion == 75 || attributes.ptxVersion == 90, "PTX version %d",
           attributes.ptxVersion);
    EXPECT(attributes.binaryVersion >= 75, "binary version %d", attributes.binaryVersion);

    int blocks = 0, more = 0, grid = 0, block = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 64, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&more, kernel, 64, 16 << 10));
    EXPECT(blocks >= 1 && more >= 1 && more <= blocks, "%d and %d blocks", blocks, more);
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel));
    EXPECT(block >= 32 && block <= 256 && grid >= 1, "grid %d, block %d", grid, block);
    size_t dynamic = 0;
    CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&dynamic, kernel, 1, 64));
    EXPECT(dynamic >= 32 << 10, "%zu bytes of dynamic shared memory", dynamic);
    CHECK(cudaFuncSetCacheConfig(kernel, cudaFuncCachePreferShared));
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
}

static void pointer_queries() {
    char *device, *pinned;
    char local[16];
    CHECK(cudaMalloc(&device, 1000));
    CHECK(cudaMallocHost(&pinned, 1000));
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, device + 500));
    EXPECT(attributes.type == cudaMemoryTypeDevice && attributes.device == 0 &&
               attributes.devicePointer == device + 500,
           "device memory: type %d, device %d, pointer %p of %p", attributes.type,
           attributes.device, attributes.devicePointer, device);
    CHECK(cudaPointerGetAttributes(&attributes, pinned + 20));
    EXPECT(attributes.type == cudaMemoryTypeHost && attributes.hostPointer == pinned + 20,
           "pinned memory: type %d, pointer %p of %p", attributes.type, attributes.hostPointer,
           pinned);
    CHECK(cudaPointerGetAttributes(&attributes, local));
    EXPECT(attributes.type == cudaMemoryTypeUnregistered, "a local variable has type %d",
           attributes.type);
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(pinned));
}

int main() {
    device_queries();
    kernel_queries();
    pointer_queries();
    EXPECT(
        std::strcmp(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation") == 0,
        "error names are wrong");
    return passed("devices, kernels, occupancy and pointers answer as expected");
}
