// Thrust and CUB as applications use them: sort, reduce, scan and transform over device vectors.
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>

#include <algorithm>
#include <vector>

#include "check.h"

int main() {
    const int n = 50'000;
    std::vector<int> host(n);
    unsigned int state = 11;
    long long expected_sum = 0;
    for (int& value : host) {
        state = state * 1664525 + 1013904223;
        value = static_cast<int>(state);
        expected_sum += value;
    }
    thrust::device_vector<int> device(host.begin(), host.end());
    long long sum = thrust::reduce(device.begin(), device.end(), 0ll);
    EXPECT(sum == expected_sum, "the sum is %lld, expected %lld", sum, expected_sum);

    thrust::sort(device.begin(), device.end());
    std::vector<int> sorted(n);
    thrust::copy(device.begin(), device.end(), sorted.begin());
    std::sort(host.begin(), host.end());
    for (int i = 0; i < n; i++)
        EXPECT(sorted[i] == host[i], "element %d is %d, expected %d", i, sorted[i], host[i]);
    return passed("thrust sorted and summed %d integers", n);
}
