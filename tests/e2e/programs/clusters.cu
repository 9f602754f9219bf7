// Clusters of blocks: a histogram spread over the shared memory of a cluster, sums that blocks read
// from each other, clusters that a launch or a kernel asks for, and what is refused. Needs compute
// capability 9.0.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <vector>

#include "check.h"

namespace cg = cooperative_groups;

constexpr int BINS = 1000, THREADS = 128;

static unsigned element(unsigned index) { return index * 2654435761u >> 8; }

// Each block of the cluster has a part of the bins.
__global__ void histogram(const unsigned* values, int count, unsigned* totals, int bins_per_block) {
    extern __shared__ unsigned bins[];
    cg::cluster_group cluster = cg::this_cluster();
    for (int bin = threadIdx.x; bin < bins_per_block; bin += blockDim.x) bins[bin] = 0;
    cluster.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        unsigned bin = values[i] % BINS;
        unsigned* there = cluster.map_shared_rank(bins, bin / bins_per_block);
        atomicAdd(there + bin % bins_per_block, 1u);
    }
    cluster.sync();
    int first = cluster.block_rank() * bins_per_block;
    for (int bin = threadIdx.x; bin < bins_per_block && first + bin < BINS; bin += blockDim.x)
        atomicAdd(totals + first + bin, bins[bin]);
}

// The kernel says the size of its clusters. Every block reads the sums of all others.
__global__ void __cluster_dims__(4, 1, 1) sums(const unsigned* values, unsigned long long* out) {
    __shared__ unsigned long long sum;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, (unsigned long long)values[blockIdx.x * blockDim.x + threadIdx.x]);
    auto token = cluster.barrier_arrive();
    cluster.barrier_wait(std::move(token));
    if (threadIdx.x == 0) {
        unsigned long long all = 0;
        for (unsigned rank = 0; rank < cluster.num_blocks(); rank++) {
            unsigned long long* there = cluster.map_shared_rank(&sum, rank);
            if (cluster.query_shared_rank(there) == rank) all += *there;
        }
        out[blockIdx.x] = all;
    }
    cluster.sync();
}

__global__ void shape(int* out) {
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x != 0) return;
    dim3 at = cluster.block_index(), size = cluster.dim_blocks();
    int block = blockIdx.x + gridDim.x * blockIdx.y;
    out[block] = cluster.block_rank() | cluster.num_blocks() << 8 | at.x << 16 | at.y << 20 |
                 size.x << 24 | size.y << 28;
}

static cudaLaunchConfig_t config(dim3 grid, dim3 block, dim3 cluster,
                                 cudaLaunchAttribute* attribute) {
    attribute->id = cudaLaunchAttributeClusterDimension;
    attribute->val.clusterDim.x = cluster.x;
    attribute->val.clusterDim.y = cluster.y;
    attribute->val.clusterDim.z = cluster.z;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.attrs = attribute;
    config.numAttrs = 1;
    return config;
}

static void try_histogram(const unsigned* values, const std::vector<unsigned>& host, int blocks) {
    unsigned* totals;
    CHECK(cudaMalloc(&totals, BINS * sizeof(unsigned)));
    CHECK(cudaMemset(totals, 0, BINS * sizeof(unsigned)));
    int bins_per_block = (BINS + blocks - 1) / blocks;
    cudaLaunchAttribute attribute;
    cudaLaunchConfig_t launch = config(blocks * 3, THREADS, blocks, &attribute);
    launch.dynamicSmemBytes = bins_per_block * sizeof(unsigned);
    if (blocks > 8)
        CHECK(cudaFuncSetAttribute(histogram, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    int largest = 0, resident = 0;
    CHECK(cudaOccupancyMaxPotentialClusterSize(&largest, histogram, &launch));
    EXPECT(largest >= blocks, "the largest cluster has %d blocks, %d expected", largest, blocks);
    CHECK(cudaOccupancyMaxActiveClusters(&resident, histogram, &launch));
    EXPECT(resident >= 1, "no cluster of %d blocks fits", blocks);
    CHECK(cudaLaunchKernelEx(&launch, histogram, values, int(host.size()), totals, bins_per_block));
    std::vector<unsigned> found(BINS), expected(BINS);
    CHECK(cudaMemcpy(found.data(), totals, BINS * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (unsigned value : host) expected[value % BINS]++;
    for (int bin = 0; bin < BINS; bin++)
        EXPECT(found[bin] == expected[bin], "clusters of %d: bin %d has %u, expected %u", blocks,
               bin, found[bin], expected[bin]);
    CHECK(cudaFree(totals));
}

static void try_sums(const unsigned* values, const std::vector<unsigned>& host) {
    const int blocks = 12;
    unsigned long long *out, found[blocks];
    CHECK(cudaMalloc(&out, sizeof found));
    sums<<<blocks, THREADS>>>(values, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost));
    for (int block = 0; block < blocks; block++) {
        unsigned long long expected = 0;
        for (int i = 0; i < 4 * THREADS; i++) expected += host[block / 4 * 4 * THREADS + i];
        EXPECT(found[block] == expected, "sum of block %d: %llu, expected %llu", block,
               found[block], expected);
    }
    CHECK(cudaFree(out));
}

static void try_shape() {
    const int width = 4, height = 6;
    int *out, found[width * height];
    CHECK(cudaMalloc(&out, sizeof found));
    cudaLaunchAttribute attribute;
    cudaLaunchConfig_t launch = config(dim3(width, height), 32, dim3(2, 3), &attribute);
    CHECK(cudaLaunchKernelEx(&launch, shape, out));
    CHECK(cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost));
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int expected =
                (x % 2 + y % 3 * 2) | 6 << 8 | x % 2 << 16 | y % 3 << 20 | 2 << 24 | 3 << 28;
            EXPECT(found[y * width + x] == expected, "block (%d,%d): %#x, expected %#x", x, y,
                   found[y * width + x], expected);
        }
    shape<<<1, 32>>>(out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(found, out, sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT(found[0] == (1 << 8 | 1 << 24 | 1 << 28), "without clusters: %#x", found[0]);
    CHECK(cudaFree(out));
}

// A failed launch leaves nothing behind, so each is followed by one that succeeds.
static void try_refusals() {
    int* out;
    CHECK(cudaMalloc(&out, 64 * sizeof(int)));
    cudaLaunchAttribute attribute;
    for (dim3 cluster : {dim3(4), dim3(32)}) {
        cudaLaunchConfig_t launch = config(cluster.x == 4 ? 6 : 32, 32, cluster, &attribute);
        cudaError_t error = cudaLaunchKernelEx(&launch, shape, out);
        if (error == cudaSuccess) error = cudaDeviceSynchronize();
        EXPECT(error != cudaSuccess, "a grid of %u blocks in clusters of %u was launched",
               launch.gridDim.x, cluster.x);
        cudaGetLastError();
        shape<<<1, 32>>>(out);
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaFree(out));
}

int main() {
    int clusters = 0;
    CHECK(cudaDeviceGetAttribute(&clusters, cudaDevAttrClusterLaunch, 0));
    if (!clusters) return passed("nothing done: the device has no clusters");
    std::vector<unsigned> host(20000);
    for (unsigned i = 0; i < host.size(); i++) host[i] = element(i);
    unsigned* values;
    CHECK(cudaMalloc(&values, host.size() * sizeof(unsigned)));
    CHECK(cudaMemcpy(values, host.data(), host.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
    for (int blocks : {1, 2, 8}) try_histogram(values, host, blocks);
    try_sums(values, host);
    try_shape();
    try_refusals();
    CHECK(cudaFree(values));
    return passed(
        "histograms over clusters of 1, 2 and 8 blocks, sums of 3 clusters of 4, clusters of 2 x "
        "3, refusals");
}
