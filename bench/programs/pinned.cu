// Small kernels beside pinned memory: before the program asks for the device's pointer to it, after
// that, and after a kernel has used it. Each case launches kernels that use none of it. Then a kernel
// that polls one word of pinned memory beside all the rest: how long until it hears the program.
#include "measure.h"

#include <string>

#include <unistd.h>

__global__ void add_one(uint32_t* count) {
    if (threadIdx.x == 0) *count += 1;
}

__global__ void add(uint32_t* count, const uint32_t* value) {
    if (threadIdx.x == 0) *count += *value;
}

// Answers each number in `ask` with the same in `answer`, until it finds the last one.
__global__ void answer_all(const volatile uint32_t* ask, volatile uint32_t* answer, uint32_t last) {
    for (uint32_t seen = 0; seen < last;) {
        uint32_t now = *ask;
        if (now != seen) {
            seen = now;
            *answer = now;
            __threadfence_system();
        }
    }
}

constexpr int kLaunches = 1000;

static uint64_t launches(uint32_t* count) {
    for (int i = 0; i < kLaunches; i++) add_one<<<1, 32>>>(count);
    uint32_t found;
    CHECK(cudaMemcpy(&found, count, 4, cudaMemcpyDeviceToHost));
    return found % kLaunches;
}

static uint32_t* pin(size_t bytes) {
    uint32_t* host;
    CHECK(cudaMallocHost(&host, bytes));
    for (size_t i = 0; i < bytes / 4; i += 1024) host[i] = 1;
    return host;
}

// `pinned REPEATS [MB [asked]]`: beside 10 MB and so many (1000); with `asked` no kernel uses them.
int main(int argc, char** argv) {
    size_t largest = argc > 2 ? strtoull(argv[2], nullptr, 10) : 1000;
    bool uses = argc < 4;
    uint32_t *count, *device;
    CHECK(cudaMalloc(&count, 4));
    CHECK(cudaMemset(count, 0, 4));
    auto run = [&](const std::string& name) {
        measure(("launches-" + name).c_str(), repeats(argc, argv), [&] { return launches(count); });
    };
    run("plain");
    struct Pinned {
        uint32_t* host;
        std::string size;
    };
    std::vector<Pinned> all;
    for (size_t mb : {size_t{10}, largest}) {
        all.push_back({pin(mb * 1000000), std::to_string(mb) + "MB"});
        run("pinned-" + all.back().size);
        CHECK(cudaHostGetDevicePointer(&device, all.back().host, 0));
        run("asked-" + all.back().size);
    }
    uint32_t* words = pin(4096);
    CHECK(cudaHostGetDevicePointer(&device, words, 0));
    auto polls = [&](const char* name) {
        measure(name, repeats(argc, argv), [&] {
            words[0] = words[512] = 0;
            answer_all<<<1, 1>>>(device, device + 512, 100);
            volatile uint32_t *ask = words, *answer = words + 512;
            for (uint32_t i = 1; i <= 100; i++) {
                *ask = i;
                while (*answer != i) {
                }
            }
            CHECK(cudaDeviceSynchronize());
            return uint64_t{words[512]};
        });
    };
    polls("100-polls");
    for (Pinned& one : all) {
        if (!uses) break;
        uint32_t* there;
        CHECK(cudaHostGetDevicePointer(&there, one.host, 0));
        add<<<1, 32>>>(count, there + 1024);
        CHECK(cudaDeviceSynchronize());
        run("used-" + one.size);
        measure(("launches-written-" + one.size).c_str(), repeats(argc, argv), [&] {
            one.host[2048] += 1;
            return launches(count);
        });
    }
    polls("100-polls-beside");
    return 0;
}
