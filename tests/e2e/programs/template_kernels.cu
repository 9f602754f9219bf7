// 200 instantiations of one kernel template, as template-heavy libraries have them; only some are
// launched twice.
#include <cuda_runtime.h>

#include <utility>
#include <vector>

#include "check.h"

template <int N>
__global__ void instance(int* output) {
    output[N] = output[N] + N * 3 + static_cast<int>(threadIdx.x);
}

using Kernel = void (*)(int*);

template <int... N>
static std::vector<Kernel> all(std::integer_sequence<int, N...>) {
    return {instance<N>...};
}

int main() {
    constexpr int count = 200;
    std::vector<Kernel> kernels = all(std::make_integer_sequence<int, count>());
    int* device;
    CHECK(cudaMalloc(&device, count * sizeof(int)));
    CHECK(cudaMemset(device, 0, count * sizeof(int)));
    for (int i = count - 1; i >= 0; i--) {
        kernels[i]<<<1, 1>>>(device);
        CHECK(cudaGetLastError());
    }
    for (int i = 0; i < count; i += 7) kernels[i]<<<1, 1>>>(device);
    CHECK(cudaGetLastError());

    std::vector<int> found(count);
    CHECK(cudaMemcpy(found.data(), device, count * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; i++) {
        int expected = i % 7 == 0 ? i * 6 : i * 3;
        EXPECT(found[i] == expected, "instance %d left %d, expected %d", i, found[i], expected);
    }
    CHECK(cudaFree(device));
    return passed("%d kernels of one template", count);
}
