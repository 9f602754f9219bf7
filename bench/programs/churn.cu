// Allocators under churn: memory of the device's pool in stream order, and physical memory that is
// made, mapped, used, unmapped and released, in random sizes and orders.
#include <cuda.h>

#include "measure.h"

__global__ void fill(uint32_t* words, size_t n, uint32_t what) {
    size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
    if (i < n) words[i] = what + static_cast<uint32_t>(i);
}

static uint64_t in_stream_order(cudaStream_t stream) {
    Numbers numbers;
    std::vector<std::pair<uint32_t*, size_t>> live;
    for (int i = 0; i < 2000; i++) {
        if (live.size() < 8 || (live.size() < 64 && numbers.below(2))) {
            size_t words = 256 + numbers.below(1 << 18);
            uint32_t* memory;
            CHECK(cudaMallocAsync(&memory, words * 4, stream));
            fill<<<(words + 255) / 256, 256, 0, stream>>>(memory, words, i);
            live.push_back({memory, words});
        } else {
            size_t which = numbers.below(static_cast<uint32_t>(live.size()));
            CHECK(cudaFreeAsync(live[which].first, stream));
            live.erase(live.begin() + which);
        }
        if (i % 100 == 99) CHECK(cudaStreamSynchronize(stream));
    }
    uint64_t sum = live.size();
    for (auto [memory, words] : live) {
        uint32_t last;
        CHECK(cudaMemcpyAsync(&last, memory + words - 1, 4, cudaMemcpyDeviceToHost, stream));
        CHECK(cudaStreamSynchronize(stream));
        sum = checksum(&last, 1, sum);
        CHECK(cudaFreeAsync(memory, stream));
    }
    CHECK(cudaStreamSynchronize(stream));
    return sum;
}

static uint64_t mapped(cudaStream_t stream) {
    CUmemAllocationProp of = {};
    of.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    of.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    CUmemAccessDesc access = {of.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    const size_t piece = 2 << 20, pieces = 64;
    CUdeviceptr range;
    CHECK(cuMemAddressReserve(&range, piece * pieces, 0, 0, 0));
    std::vector<CUmemGenericAllocationHandle> backing(pieces, 0);
    std::vector<uint32_t> last(pieces, 0);
    Numbers numbers;
    for (int i = 0; i < 500; i++) {
        size_t which = numbers.below(pieces);
        CUdeviceptr at = range + which * piece;
        if (backing[which]) {
            uint32_t value;
            CHECK(cuMemcpyDtoHAsync(&value, at + piece - 4, 4, stream));
            CHECK(cudaStreamSynchronize(stream));
            last[which] = value;
            CHECK(cuMemUnmap(at, piece));
            CHECK(cuMemRelease(backing[which]));
            backing[which] = 0;
        } else {
            CHECK(cuMemCreate(&backing[which], piece, &of, 0));
            CHECK(cuMemMap(at, piece, 0, backing[which], 0));
            CHECK(cuMemSetAccess(at, piece, &access, 1));
            fill<<<piece / 4 / 256, 256, 0, stream>>>(reinterpret_cast<uint32_t*>(at), piece / 4,
                                                      i);
        }
    }
    CHECK(cudaStreamSynchronize(stream));
    for (size_t which = 0; which < pieces; which++)
        if (backing[which]) {
            CHECK(cuMemUnmap(range + which * piece, piece));
            CHECK(cuMemRelease(backing[which]));
        }
    CHECK(cuMemAddressFree(range, piece * pieces));
    return checksum(last.data(), pieces);
}

int main(int argc, char** argv) {
    cudaStream_t stream;
    CHECK(cudaFree(nullptr));
    CHECK(cudaStreamCreate(&stream));
    return measure("churn-pool", repeats(argc, argv), [&] { return in_stream_order(stream); }) |
           measure("churn-mapped", repeats(argc, argv), [&] { return mapped(stream); });
}
