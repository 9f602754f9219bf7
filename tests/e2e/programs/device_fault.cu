// Kernels that go wrong: a bad address and a trap end the context with the right error, and nothing
// else.
#include <cuda_runtime.h>

#include <cstring>

#include "check.h"
#include "child.h"

__global__ void write_to(int* address) { *address = 1; }

__global__ void trap_if(int condition) {
    if (condition) asm volatile("trap;");
}

static int child(const char* what) {
    int* device;
    CHECK(cudaMalloc(&device, 4));
    write_to<<<1, 1>>>(device);
    trap_if<<<1, 1>>>(0);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    cudaError_t expected = cudaErrorIllegalAddress;
    if (std::strcmp(what, "null") == 0) {
        write_to<<<1, 1>>>(nullptr);
    } else if (std::strcmp(what, "wild") == 0) {
        write_to<<<1, 1>>>(reinterpret_cast<int*>(0x0000123456789000));
    } else {
        trap_if<<<1, 1>>>(1);
        expected = cudaErrorLaunchFailure;
    }
    CHECK(cudaGetLastError());
    EXPECT_ERROR(cudaDeviceSynchronize(), expected);
    // The error is sticky: every later call gets it.
    EXPECT_ERROR(cudaMalloc(&device, 4), expected);
    EXPECT_ERROR(cudaDeviceSynchronize(), expected);
    return 0;
}

int main(int count, char** arguments) {
    if (count > 1) return child(arguments[1]);
    for (const char* what : {"null", "wild", "trap"}) {
        Child result = run_self(what);
        EXPECT(result.status == 0, "%s: the child ended with %d:\n%s", what, result.status,
               result.output.c_str());
    }
    int* device;
    CHECK(cudaMalloc(&device, 4));
    write_to<<<1, 1>>>(device);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    return passed("two bad addresses and a trap, each with its own error");
}
