// Copies between host and device, pinned and pageable, and of a tile of a pinned matrix; prints
// GB/s as one line of JSON after checking the bytes.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

#include "check.h"

template <typename Copy>
static double best_gigabytes_per_second(size_t bytes, Copy copy) {
    double best = 0;
    for (int round = 0; round < 4; round++) {
        auto start = std::chrono::steady_clock::now();
        CHECK(copy());
        CHECK(cudaStreamSynchronize(nullptr));
        std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        best = std::max(best, bytes / seconds.count() / 1e9);
    }
    return best;
}

static double gigabytes_per_second(void* destination, const void* source, size_t bytes,
                                   cudaMemcpyKind kind) {
    return best_gigabytes_per_second(
        bytes, [=] { return cudaMemcpyAsync(destination, source, bytes, kind, nullptr); });
}

int main(int count, char** arguments) {
    const size_t bytes = (count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 32) << 20;
    std::vector<unsigned char> pageable(bytes);
    unsigned char *pinned, *device;
    CHECK(cudaMallocHost(&pinned, bytes));
    CHECK(cudaMalloc(&device, bytes));
    for (size_t i = 0; i < bytes; i++) pinned[i] = i * 13 + i / 4096;

    double h2d_pinned = gigabytes_per_second(device, pinned, bytes, cudaMemcpyHostToDevice);
    double d2h_pageable =
        gigabytes_per_second(pageable.data(), device, bytes, cudaMemcpyDeviceToHost);
    EXPECT(std::memcmp(pageable.data(), pinned, bytes) == 0, "the bytes changed on the way");
    CHECK(cudaMemset(device, 0, bytes));
    double h2d_pageable =
        gigabytes_per_second(device, pageable.data(), bytes, cudaMemcpyHostToDevice);
    std::memset(pinned, 0, bytes);
    double d2h_pinned = gigabytes_per_second(pinned, device, bytes, cudaMemcpyDeviceToHost);
    EXPECT(std::memcmp(pageable.data(), pinned, bytes) == 0, "the bytes changed on the way back");

    // A fourth of the columns of a matrix in host memory, with no gaps between its rows on the
    // device.
    const size_t pitch = 64 << 10, width = pitch / 4, rows = bytes / pitch;
    double h2d_tile = best_gigabytes_per_second(rows * width, [&] {
        return cudaMemcpy2DAsync(device, width, pinned + width, pitch, width, rows,
                                 cudaMemcpyHostToDevice, nullptr);
    });
    double d2h_tile = best_gigabytes_per_second(rows * width, [&] {
        return cudaMemcpy2DAsync(pinned, pitch, device, width, width, rows, cudaMemcpyDeviceToHost,
                                 nullptr);
    });
    for (size_t row = 0; row < rows; row++) {
        const unsigned char *was = pageable.data() + row * pitch, *is = pinned + row * pitch;
        EXPECT(std::memcmp(is, was + width, width) == 0, "the tile changed on the way");
        EXPECT(std::memcmp(is + width, was + width, pitch - width) == 0,
               "what is beside the tile changed");
    }

    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(pinned));
    std::printf(
        "{\"mib\": %zu, \"h2d_pinned_gb_s\": %.3f, \"d2h_pinned_gb_s\": %.3f, "
        "\"h2d_pageable_gb_s\": %.3f, \"d2h_pageable_gb_s\": %.3f, \"h2d_tile_gb_s\": %.3f, "
        "\"d2h_tile_gb_s\": %.3f}\n",
        bytes >> 20, h2d_pinned, d2h_pinned, h2d_pageable, d2h_pageable, h2d_tile, d2h_tile);
    return 0;
}
