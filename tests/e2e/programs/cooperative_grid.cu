// Cooperative groups: the whole grid synchronizes inside one launch; tiles and coalesced groups
// inside a block.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <vector>

#include "check.h"

namespace groups = cooperative_groups;

// Every step reads what all blocks wrote in the step before.
__global__ void rotate(int* a, int* b, int n, int steps) {
    groups::grid_group grid = groups::this_grid();
    for (int step = 0; step < steps; step++) {
        for (int i = grid.thread_rank(); i < n; i += grid.size()) b[i] = a[(i + 1) % n] + 1;
        grid.sync();
        int* swap = a;
        a = b;
        b = swap;
    }
}

__global__ void tiles(const int* input, int* sums, int* odd_counts) {
    groups::thread_block block = groups::this_thread_block();
    groups::thread_block_tile<8> tile = groups::tiled_partition<8>(block);
    int value = input[block.group_index().x * block.size() + block.thread_rank()];
    int sum = value;
    for (int offset = tile.size() / 2; offset > 0; offset /= 2) sum += tile.shfl_xor(sum, offset);
    int reduced = groups::reduce(tile, value, groups::plus<int>());
    if (tile.thread_rank() == 0)
        sums[(block.group_index().x * block.size() + block.thread_rank()) / 8] =
            sum == reduced ? sum : -1;
    if (value % 2) {
        groups::coalesced_group odd = groups::coalesced_threads();
        if (odd.thread_rank() == 0) atomicAdd(odd_counts, odd.size());
    }
    block.sync();
}

int main() {
    int supported = 0, processors = 0, per_processor = 0;
    CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
    EXPECT(supported, "the device does not offer cooperative launches");
    CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, rotate, 64, 0));
    EXPECT(processors > 0 && per_processor > 0, "%d processors, %d blocks on each", processors,
           per_processor);

    int n = 10'000, steps = 25;
    std::vector<int> host(n), found(n);
    for (int i = 0; i < n; i++) host[i] = i * 3;
    int *a, *b;
    CHECK(cudaMalloc(&a, n * sizeof(int)));
    CHECK(cudaMalloc(&b, n * sizeof(int)));
    CHECK(cudaMemcpy(a, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    void* arguments[] = {&a, &b, &n, &steps};
    int blocks = std::min(processors * per_processor, 16);
    CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(rotate), dim3(blocks), dim3(64),
                                      arguments, 0, nullptr));
    CHECK(cudaMemcpy(found.data(), steps % 2 ? b : a, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        int expected = host[(i + steps) % n] + steps;
        EXPECT(found[i] == expected, "element %d is %d, expected %d", i, found[i], expected);
    }
    EXPECT_ERROR(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(rotate),
                                             dim3(processors * per_processor + 1), dim3(64),
                                             arguments, 0, nullptr),
                 cudaErrorCooperativeLaunchTooLarge);
    (void)cudaGetLastError();

    const int block = 96, grid = 10, tile_count = block * grid / 8;
    for (int i = 0; i < block * grid; i++) host[i] = i * i % 101;
    CHECK(cudaMemcpy(a, host.data(), block * grid * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(b, 0, n * sizeof(int)));
    tiles<<<grid, block>>>(a, b, b + tile_count);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(found.data(), b, (tile_count + 1) * sizeof(int), cudaMemcpyDeviceToHost));
    int odd = 0;
    for (int i = 0; i < tile_count; i++) {
        int sum = 0;
        for (int j = 0; j < 8; j++) {
            sum += host[i * 8 + j];
            odd += host[i * 8 + j] % 2;
        }
        EXPECT(found[i] == sum, "tile %d sums to %d, expected %d", i, found[i], sum);
    }
    EXPECT(found[tile_count] == odd, "coalesced groups held %d threads, expected %d",
           found[tile_count], odd);

    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    return passed("%d blocks synchronized %d times; tiles and coalesced groups", blocks, steps);
}
