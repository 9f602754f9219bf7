// Ends the program if a CUDA call failed.
#pragma once

#include <cuda_runtime.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error = (call);                                                   \
        if (error != cudaSuccess) {                                                   \
            std::fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, #call, \
                         cudaGetErrorString(error));                                  \
            std::exit(1);                                                             \
        }                                                                             \
    } while (0)
