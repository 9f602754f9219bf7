// A whole program, from its start to its end: it opens the GPU, runs one kernel and reads the
// result. The process that measures starts it again and again and has no GPU itself.
#include <spawn.h>
#include <sys/wait.h>

#include "measure.h"

__global__ void answer(uint32_t* word) { *word = 42; }

static int run_once() {
    uint32_t *word, result;
    CHECK(cudaMalloc(&word, 4));
    answer<<<1, 1>>>(word);
    CHECK(cudaMemcpy(&result, word, 4, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(word));
    return result == 42 ? 0 : 1;
}

int main(int argc, char** argv) {
    if (argc > 2) return run_once();
    char once[] = "once", *arguments[] = {argv[0], once, once, nullptr};
    return measure("start", repeats(argc, argv), [&] {
        pid_t child;
        int status;
        CHECK(posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, arguments, environ));
        CHECK(waitpid(child, &status, 0) != child);
        CHECK(status);
        return 42;
    });
}
