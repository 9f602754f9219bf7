// printf in kernels: the text reaches the process's standard output at the next synchronization,
// whole and formatted.
#include <cuda_runtime.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "check.h"

__global__ void speak(int number, double real, const char* word) {
    printf("thread %d of block %d: %d %u %5.2f %s %c %lld %x%%\n", threadIdx.x, blockIdx.x, -number,
           number, real, threadIdx.x == 0 ? "zero" : "other", 'A' + threadIdx.x, 1234567890123ll,
           number);
}

__global__ void count(int* results) {
    results[0] = printf("no arguments\n");
    results[1] = printf("%s and %f\n", "two", 0.5f);
}

// Runs body with standard output in a pipe and gives back what was written.
template <typename Body>
static std::string captured(Body body) {
    int ends[2];
    std::fflush(stdout);
    int original = dup(STDOUT_FILENO);
    EXPECT(pipe(ends) == 0 && original >= 0 && dup2(ends[1], STDOUT_FILENO) >= 0,
           "cannot redirect standard output");
    close(ends[1]);
    body();
    std::fflush(stdout);
    dup2(original, STDOUT_FILENO);
    close(original);
    std::string text;
    char buffer[4096];
    for (ssize_t length; (length = read(ends[0], buffer, sizeof buffer)) > 0;)
        text.append(buffer, length);
    close(ends[0]);
    return text;
}

int main() {
    std::string text = captured([] {
        speak<<<2, 3>>>(42, 3.14159, nullptr);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
    });
    for (int block = 0; block < 2; block++)
        for (int thread = 0; thread < 3; thread++) {
            char line[200];
            std::snprintf(line, sizeof line,
                          "thread %d of block %d: -42 42  3.14 %s %c 1234567890123 2a%%\n", thread,
                          block, thread == 0 ? "zero" : "other", 'A' + thread);
            EXPECT(text.find(line) != std::string::npos,
                   "missing the line\n%sin what was printed:\n%s", line, text.c_str());
        }
    EXPECT(std::count(text.begin(), text.end(), '\n') == 6, "six lines expected:\n%s",
           text.c_str());

    int* device;
    int results[2] = {};
    CHECK(cudaMalloc(&device, sizeof results));
    text = captured([&] {
        count<<<1, 1>>>(device);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(results, device, sizeof results, cudaMemcpyDeviceToHost));
        CHECK(cudaDeviceSynchronize());
    });
    EXPECT(text == "no arguments\ntwo and 0.500000\n", "printed:\n%s", text.c_str());
    EXPECT(results[0] == 0 && results[1] == 2, "printf returned %d and %d, expected 0 and 2",
           results[0], results[1]);

    size_t size = 0;
    CHECK(cudaDeviceGetLimit(&size, cudaLimitPrintfFifoSize));
    EXPECT(size > 0, "the buffer for printf has no size");
    CHECK(cudaFree(device));
    return passed("printf from kernels, 8 lines");
}
