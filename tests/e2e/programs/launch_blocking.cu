// CUDA_LAUNCH_BLOCKING=1: a launch returns when the kernel is over, and with the error that it met.
#include <cuda_runtime.h>

#include <cstdlib>

#include "check.h"
#include "child.h"

__global__ void count(unsigned int* value, unsigned int rounds) {
    for (unsigned int i = 0; i < rounds; i++) *static_cast<volatile unsigned int*>(value) = i + 1;
}

__global__ void write_to(int* address) { *address = 1; }

static int launched_wild() {
    write_to<<<1, 1>>>(reinterpret_cast<int*>(0x0000123456789000));
    EXPECT_ERROR(cudaGetLastError(), cudaErrorIllegalAddress);
    return 0;
}

int main(int argc, char**) {
    const unsigned int rounds = 200000;
    setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
    if (argc > 1) return launched_wild();
    unsigned int *host, *device;
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaHostAlloc(&host, sizeof(unsigned int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&device, host, 0));
    for (cudaStream_t in : {cudaStream_t(0), stream}) {
        *host = 0;
        count<<<1, 1, 0, in>>>(device, rounds);
        CHECK(cudaGetLastError());
        unsigned int found = *static_cast<volatile unsigned int*>(host);
        EXPECT(found == rounds, "the kernel had counted to %u of %u when its launch returned",
               found, rounds);
        CHECK(cudaStreamQuery(in));
    }
    // A captured launch has nothing to wait for.
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    count<<<1, 1, 0, stream>>>(device, rounds);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamEndCapture(stream, &graph));
    Child wild = run_self("wild");
    EXPECT(wild.status == 0, "a launch with a bad address: status %d, %s", wild.status,
           wild.output.c_str());
    return passed("launches return when their kernels are over");
}
