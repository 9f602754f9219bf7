// A failing assert in a kernel: error 710 at the next synchronization and from then on, and the
// message on stderr.
#include <cuda_runtime.h>

#include <cassert>

#include "check.h"
#include "child.h"

__global__ void check_all(const int* values) { assert(values[threadIdx.x] < 100); }
constexpr int kLine = __LINE__ - 1;

static int child() {
    int* device;
    CHECK(cudaMalloc(&device, 32 * sizeof(int)));
    CHECK(cudaMemset(device, 0, 32 * sizeof(int)));
    check_all<<<1, 32>>>(device);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    int large = 100;
    CHECK(cudaMemcpy(device + 5, &large, sizeof large, cudaMemcpyHostToDevice));
    check_all<<<1, 32>>>(device);
    CHECK(cudaGetLastError());
    EXPECT_ERROR(cudaDeviceSynchronize(), cudaErrorAssert);
    EXPECT_ERROR(cudaMalloc(&device, 4), cudaErrorAssert);
    EXPECT_ERROR(cudaGetLastError(), cudaErrorAssert);
    std::puts("the child saw what it should");
    return 0;
}

int main(int count, char**) {
    if (count > 1) return child();
    Child result = run_self("child");
    EXPECT(result.status == 0, "the child ended with %d:\n%s", result.status,
           result.output.c_str());
    EXPECT(result.output.find("the child saw what it should") != std::string::npos,
           "the child wrote:\n%s", result.output.c_str());
    const std::string where = "device_assert.cu:" + std::to_string(kLine) + ": ";
    const char* parts[] = {where.c_str(), "block: [0,0,0], thread: [5,0,0] ",
                           "Assertion `values[threadIdx.x] < 100` failed."};
    for (const char* part : parts)
        EXPECT(result.output.find(part) != std::string::npos, "\"%s\" is missing in:\n%s", part,
               result.output.c_str());

    // This process has a context of its own, which is whole.
    int* device;
    CHECK(cudaMalloc(&device, 4));
    CHECK(cudaFree(device));
    return passed("a failed assert gives error 710 and its message");
}
