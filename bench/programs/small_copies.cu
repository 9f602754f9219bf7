// Small synchronous copies to the device beside a non-blocking stream that uses what they bring,
// and events that are timed.
#include "measure.h"

__global__ void gather(const uint32_t* parameters, uint32_t* sum) {
    atomicAdd(sum, parameters[threadIdx.x]);
}

int main(int argc, char** argv) {
    cudaStream_t stream;
    cudaEvent_t begin, end;
    uint32_t *parameters, *sum, host[64], result;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaMalloc(&parameters, 64 * sizeof(host)));
    CHECK(cudaMalloc(&sum, 4));
    int failed = measure("small-copies", repeats(argc, argv), [&] {
        CHECK(cudaMemset(sum, 0, 4));
        CHECK(cudaDeviceSynchronize());
        for (int i = 0; i < 1000; i++) {
            for (int w = 0; w < 64; w++) host[w] = i * w;
            auto at = parameters + i % 64 * 64;
            CHECK(cudaMemcpy(at, host, sizeof(host), cudaMemcpyHostToDevice));
            gather<<<1, 64, 0, stream>>>(at, sum);
            if (i % 64 == 63) CHECK(cudaStreamSynchronize(stream));
        }
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(&result, sum, 4, cudaMemcpyDeviceToHost));
        return checksum(&result, 1);
    });
    return failed | measure("timed-events", repeats(argc, argv), [&] {
               float took_ms, all_ms = 0;
               for (int i = 0; i < 200; i++) {
                   CHECK(cudaEventRecord(begin, stream));
                   gather<<<1, 64, 0, stream>>>(parameters, sum);
                   CHECK(cudaEventRecord(end, stream));
                   CHECK(cudaEventSynchronize(end));
                   CHECK(cudaEventElapsedTime(&took_ms, begin, end));
                   all_ms += took_ms;
               }
               return static_cast<uint64_t>(all_ms > 0);
           });
}
