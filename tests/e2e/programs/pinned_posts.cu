// Commands beside pinned memory: `pinned_posts asked MIB N` asks for the device's pointer to so much
// memory, `pinned_posts used MIB N` has a kernel use it as well, `named` only once. Then it launches N
// kernels that use none of it, and where it is used writes one word there for the device now and
// then; where it is named it waits for each and leaves the memory alone.
#include <cuda_runtime.h>

#include <cstdlib>
#include <cstring>

#include "check.h"

__global__ void add_one(int* count) { *count += 1; }

__global__ void add(int* count, const int* value) { *count += *value; }

int main(int argc, char** argv) {
    bool uses = argc > 1 && strcmp(argv[1], "used") == 0;
    bool names = argc > 1 && strcmp(argv[1], "named") == 0;
    size_t bytes = (argc > 2 ? strtoull(argv[2], nullptr, 10) : 64) << 20;
    int launches = argc > 3 ? atoi(argv[3]) : 1000;

    int *pinned, *on_device, *count, found = 0, expected = 0;
    CHECK(cudaMallocHost(&pinned, bytes));
    memset(pinned, 0, bytes);
    CHECK(cudaHostGetDevicePointer(&on_device, pinned, 0));
    CHECK(cudaMalloc(&count, sizeof(int)));
    CHECK(cudaMemset(count, 0, sizeof(int)));
    size_t words = bytes / sizeof(int);
    if (names) add<<<1, 1>>>(count, on_device);
    for (int i = 0; i < launches; i++) {
        add_one<<<1, 1>>>(count);
        expected++;
        if (names) CHECK(cudaDeviceSynchronize());
        if (uses && i % 100 == 0) {
            size_t at = words / 1000 * (i % 1000) + i;
            pinned[at] = i;
            add<<<1, 1>>>(count, on_device + at);
            expected += i;
            CHECK(cudaDeviceSynchronize());
        }
    }
    CHECK(cudaMemcpy(&found, count, sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT(found == expected, "the device counted %d, expected %d", found, expected);
    CHECK(cudaFreeHost(pinned));
    return passed("%d launches beside %zu MiB of pinned memory", launches, bytes >> 20);
}
