// thrust's sort of keys and of pairs, with the memory that each sort allocates and frees by itself.
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/sort.h>

#include "measure.h"

int main(int argc, char** argv) {
    constexpr int kKeys = 1 << 20;
    thrust::host_vector<uint32_t> keys(kKeys);
    Numbers numbers;
    for (auto& key : keys) key = numbers.next();
    thrust::device_vector<uint32_t> unsorted = keys, sorted(kKeys), values(kKeys);
    return measure("sort", repeats(argc, argv), [&] {
        for (int i = 0; i < 20; i++) {
            sorted = unsorted;
            thrust::sort(sorted.begin(), sorted.end());
            sorted = unsorted;
            values = unsorted;
            thrust::sort_by_key(sorted.begin(), sorted.end(), values.begin());
        }
        thrust::host_vector<uint32_t> result = values;
        return checksum(result.data(), kKeys);
    });
}
