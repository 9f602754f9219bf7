// What every program here shares: it repeats a piece of work, and prints the median, all times and
// a checksum that must be the same natively and remotely, on one line.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

// The call must succeed, or the program ends with a line that names it.
#define CHECK(call)                                                                \
    do {                                                                           \
        auto check_error = (call);                                                 \
        if (static_cast<int>(check_error) != 0) {                                  \
            std::fprintf(stderr, "%s:%d: %s gave %d\n", __FILE__, __LINE__, #call, \
                         static_cast<int>(check_error));                           \
            std::_Exit(1);                                                         \
        }                                                                          \
    } while (0)

// A generator that gives the same numbers everywhere.
struct Numbers {
    uint64_t state = 88172645463325252ull;
    uint32_t next() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return static_cast<uint32_t>(state >> 16);
    }
    uint32_t below(uint32_t bound) { return next() % bound; }
};

// FNV-1a over words.
template <typename T>
uint64_t checksum(const T* values, size_t count, uint64_t sum = 14695981039346656037ull) {
    auto bytes = reinterpret_cast<const unsigned char*>(values);
    for (size_t i = 0; i < count * sizeof(T); i++) sum = (sum ^ bytes[i]) * 1099511628211ull;
    return sum;
}

// Runs `work`, which returns a checksum, `times` times after one that does not count.
template <typename Work>
int measure(const char* name, int times, Work work) {
    uint64_t sum = work();
    std::vector<double> milliseconds;
    for (int i = 0; i < times; i++) {
        auto start = std::chrono::steady_clock::now();
        uint64_t again = work();
        std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
        milliseconds.push_back(took.count());
        if (again != sum) {
            std::fprintf(stderr, "%s: run %d gave %016llx after %016llx\n", name, i,
                         static_cast<unsigned long long>(again),
                         static_cast<unsigned long long>(sum));
            return 1;
        }
    }
    auto sorted = milliseconds;
    std::sort(sorted.begin(), sorted.end());
    std::printf("%s %.3f %016llx", name, sorted[sorted.size() / 2],
                static_cast<unsigned long long>(sum));
    for (double one : milliseconds) std::printf(" %.3f", one);
    std::printf("\n");
    return std::fflush(stdout);
}

inline int repeats(int argc, char** argv) { return argc > 1 ? std::atoi(argv[1]) : 5; }
