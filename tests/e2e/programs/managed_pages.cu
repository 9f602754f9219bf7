// Rounds in which the program and the device write to some pages of much managed memory, and the
// program looks at one of them: how many bytes travel for that is counted by managed.sh.
//
//   managed_pages [ROUNDS]
#include <cuda_runtime.h>

#include "check.h"

constexpr size_t kPageWords = 1024, kPages = 4096;

__global__ void add(unsigned* to, const unsigned* from, size_t words) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < words) to[i] += from[i];
}

int main(int argc, char** argv) {
    const unsigned rounds = argc > 1 ? std::atoi(argv[1]) : 10;
    unsigned *here, *there;
    CHECK(cudaMallocManaged(&here, kPages * kPageWords * sizeof(unsigned)));
    CHECK(cudaMallocManaged(&there, kPages * kPageWords * sizeof(unsigned)));
    for (size_t i = 0; i < kPages * kPageWords; i++) here[i] = 1;
    for (unsigned round = 1; round <= rounds; round++) {
        // A page of the program's and thirty-two of the device's, of which the program looks at the
        // first.
        size_t word = size_t(round * 37 % kPages) * kPageWords;
        here[word] += 1;
        add<<<32 * kPageWords / 256, 256>>>(there, here, 32 * kPageWords);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        EXPECT(there[5] == round, "round %u: the device wrote %u", round, there[5]);
    }
    size_t sum = 0;
    for (size_t i = 0; i < kPages * kPageWords; i++) sum += here[i];
    EXPECT(sum == kPages * kPageWords + rounds, "the sum of what the program wrote is %zu", sum);
    EXPECT(there[32 * kPageWords - 1] == rounds && there[32 * kPageWords] == 0,
           "the device wrote %u and %u", there[32 * kPageWords - 1], there[32 * kPageWords]);
    std::printf("managed_pages: %u rounds\n", rounds);
    return 0;
}
