// The shape of an explicit solver: thousands of small kernels and copies within the device, one
// behind the other in the legacy stream, with a wait now and then.
#include "measure.h"

constexpr int kCells = 97000, kVariables = 5, kSteps = 500;

__global__ void factors(const float* state, float* factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) factor[i] = 0.5f / (1.0f + fabsf(state[i]));
}

__global__ void flux(const float* state, float* change, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int v = 0; v < kVariables; v++) {
        float here = state[v * n + i];
        float left = state[v * n + (i ? i - 1 : n - 1)],
              right = state[v * n + (i + 1 < n ? i + 1 : 0)];
        change[v * n + i] = left + right - 2.0f * here;
    }
}

__global__ void advance(const float* old, const float* change, const float* factor, float* state,
                        int n, int part) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int v = 0; v < kVariables; v++)
        state[v * n + i] = old[v * n + i] + factor[i] / part * change[v * n + i];
}

int main(int argc, char** argv) {
    const size_t bytes = sizeof(float) * kCells * kVariables;
    std::vector<float> start(kCells * kVariables), end(kCells * kVariables);
    for (size_t i = 0; i < start.size(); i++) start[i] = static_cast<float>(i % 97) / 97;
    float *state, *old, *change, *factor;
    CHECK(cudaMalloc(&state, bytes));
    CHECK(cudaMalloc(&old, bytes));
    CHECK(cudaMalloc(&change, bytes));
    CHECK(cudaMalloc(&factor, kCells * sizeof(float)));
    return measure("solver", repeats(argc, argv), [&] {
        CHECK(cudaMemcpy(state, start.data(), bytes, cudaMemcpyHostToDevice));
        const int blocks = (kCells + 191) / 192;
        for (int step = 0; step < kSteps; step++) {
            CHECK(cudaMemcpy(old, state, bytes, cudaMemcpyDeviceToDevice));
            factors<<<blocks, 192>>>(state, factor, kCells);
            for (int part = 3; part > 0; part--) {
                flux<<<blocks, 192>>>(state, change, kCells);
                CHECK(cudaGetLastError());
                advance<<<blocks, 192>>>(old, change, factor, state, kCells, part);
                CHECK(cudaGetLastError());
            }
        }
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(end.data(), state, bytes, cudaMemcpyDeviceToHost));
        return checksum(end.data(), end.size());
    });
}
