// Copies between host and device, pinned and pageable; prints GB/s as one line of JSON after checking the bytes.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

#include "check.h"

static double gigabytes_per_second(void* destination, const void* source, size_t bytes, cudaMemcpyKind kind) {
    double best = 0;
    for (int round = 0; round < 4; round++) {
        auto start = std::chrono::steady_clock::now();
        CHECK(cudaMemcpyAsync(destination, source, bytes, kind, nullptr));
        CHECK(cudaStreamSynchronize(nullptr));
        std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        best = std::max(best, bytes / seconds.count() / 1e9);
    }
    return best;
}

int main(int count, char** arguments) {
    const size_t bytes = (count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 32) << 20;
    std::vector<unsigned char> pageable(bytes);
    unsigned char *pinned, *device;
    CHECK(cudaMallocHost(&pinned, bytes));
    CHECK(cudaMalloc(&device, bytes));
    for (size_t i = 0; i < bytes; i++) pinned[i] = i * 13 + i / 4096;

    double h2d_pinned = gigabytes_per_second(device, pinned, bytes, cudaMemcpyHostToDevice);
    double d2h_pageable = gigabytes_per_second(pageable.data(), device, bytes, cudaMemcpyDeviceToHost);
    EXPECT(std::memcmp(pageable.data(), pinned, bytes) == 0, "the bytes changed on the way");
    CHECK(cudaMemset(device, 0, bytes));
    double h2d_pageable = gigabytes_per_second(device, pageable.data(), bytes, cudaMemcpyHostToDevice);
    std::memset(pinned, 0, bytes);
    double d2h_pinned = gigabytes_per_second(pinned, device, bytes, cudaMemcpyDeviceToHost);
    EXPECT(std::memcmp(pageable.data(), pinned, bytes) == 0, "the bytes changed on the way back");

    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(pinned));
    std::printf("{\"mib\": %zu, \"h2d_pinned_gb_s\": %.3f, \"d2h_pinned_gb_s\": %.3f, "
                "\"h2d_pageable_gb_s\": %.3f, \"d2h_pageable_gb_s\": %.3f}\n",
                bytes >> 20, h2d_pinned, d2h_pinned, h2d_pageable, d2h_pageable);
    return 0;
}
