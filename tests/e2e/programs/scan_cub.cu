// CUB's device-wide algorithms, with the temporary storage that they ask for: scans, reductions
// also by key, selection, histograms and sorting pairs.
#include <cub/cub.cuh>

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "check.h"

static const int n = 30'011;

template <class T>
struct Buffer {
    T* data = nullptr;
    explicit Buffer(int count) { CHECK(cudaMalloc(&data, count * sizeof(T))); }
    explicit Buffer(const std::vector<T>& host) : Buffer(static_cast<int>(host.size())) {
        CHECK(cudaMemcpy(data, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    ~Buffer() { cudaFree(data); }
    std::vector<T> read(int count) const {
        std::vector<T> host(count);
        CHECK(cudaMemcpy(host.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
        return host;
    }
};

// Calls once to learn how much temporary storage there must be, and once more with it.
template <class Algorithm>
static void with_storage(Algorithm algorithm) {
    size_t bytes = 0;
    CHECK(algorithm(nullptr, bytes));
    Buffer<char> storage(static_cast<int>(bytes) + 1);
    CHECK(algorithm(storage.data, bytes));
    CHECK(cudaDeviceSynchronize());
}

struct IsOdd {
    __device__ bool operator()(int value) const { return value & 1; }
};

static void same(const char* what, const std::vector<int>& found, const std::vector<int>& wanted) {
    EXPECT(found.size() == wanted.size(), "%s: %zu values, expected %zu", what, found.size(),
           wanted.size());
    for (size_t i = 0; i < wanted.size(); i++)
        EXPECT(found[i] == wanted[i], "%s: value %zu is %d, expected %d", what, i, found[i],
               wanted[i]);
}

static void scans(const std::vector<int>& host, const Buffer<int>& in) {
    Buffer<int> out(n);
    std::vector<int> expected(n);
    with_storage([&](void* storage, size_t& bytes) {
        return cub::DeviceScan::ExclusiveSum(storage, bytes, in.data, out.data, n);
    });
    std::exclusive_scan(host.begin(), host.end(), expected.begin(), 0);
    same("exclusive sum", out.read(n), expected);
    with_storage([&](void* storage, size_t& bytes) {
        return cub::DeviceScan::InclusiveScan(storage, bytes, in.data, out.data, cuda::maximum<>{},
                                              n);
    });
    std::inclusive_scan(host.begin(), host.end(), expected.begin(),
                        [](int a, int b) { return std::max(a, b); });
    same("running maximum", out.read(n), expected);
}

static void reductions(const std::vector<int>& host, const Buffer<int>& in) {
    Buffer<int> out(1);
    with_storage([&](void* storage, size_t& bytes) {
        return cub::DeviceReduce::Min(storage, bytes, in.data, out.data, n);
    });
    same("minimum", out.read(1), {*std::min_element(host.begin(), host.end())});
    // Runs of equal keys: every seventeen values.
    std::vector<int> keys(n), key_of_run, sum_of_run;
    for (int i = 0; i < n; i++) {
        keys[i] = i / 17 % 5;
        if (i % 17 == 0) key_of_run.push_back(keys[i]), sum_of_run.push_back(0);
        sum_of_run.back() += host[i];
    }
    Buffer<int> device_keys(keys), unique(n), sums(n), runs(1);
    with_storage([&](void* storage, size_t& bytes) {
        return cub::DeviceReduce::ReduceByKey(storage, bytes, device_keys.data, unique.data,
                                              in.data, sums.data, runs.data, cuda::std::plus<>{},
                                              n);
    });
    int count = static_cast<int>(key_of_run.size());
    same("runs", runs.read(1), {count});
    same("keys of runs", unique.read(count), key_of_run);
    same("sums of runs", sums.read(count), sum_of_run);
}

static void selection(const std::vector<int>& host, const Buffer<int>& in) {
    Buffer<int> out(n), selected(1);
    with_storage([&](void* storage, size_t& bytes) {
        return cub::DeviceSelect::If(storage, bytes, in.data, out.data, selected.data, n, IsOdd{});
    });
    std::vector<int> expected;
    std::copy_if(host.begin(), host.end(), std::back_inserter(expected),
                 [](int value) { return value & 1; });
    same("odd values", out.read(selected.read(1)[0]), expected);
    Buffer<int> bins(10);
    with_storage([&](void* storage, size_t& bytes) {
        return cub::DeviceHistogram::HistogramEven(storage, bytes, in.data, bins.data, 11, -1000,
                                                   1000, n);
    });
    std::vector<int> counts(10);
    for (int value : host) counts[(value + 1000) / 200]++;
    same("histogram", bins.read(10), counts);
}

static void pairs(const std::vector<int>& host, const Buffer<int>& in) {
    std::vector<int> order(n), sorted(n);
    std::iota(order.begin(), order.end(), 0);
    Buffer<int> places(order), keys_out(n), places_out(n);
    with_storage([&](void* storage, size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(storage, bytes, in.data, keys_out.data, places.data,
                                               places_out.data, n);
    });
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return host[a] < host[b]; });
    std::transform(order.begin(), order.end(), sorted.begin(),
                   [&](int place) { return host[place]; });
    same("sorted keys", keys_out.read(n), sorted);
    same("their places", places_out.read(n), order);
}

int main() {
    std::vector<int> host(n);
    unsigned int state = 7;
    for (int& value : host) {
        state = state * 1664525 + 1013904223;
        value = static_cast<int>(state >> 8) % 1000 * (state >> 31 ? 1 : -1);
    }
    Buffer<int> in(host);
    scans(host, in);
    reductions(host, in);
    selection(host, in);
    pairs(host, in);
    return passed("CUB scanned, reduced, selected, counted and sorted %d integers", n);
}
