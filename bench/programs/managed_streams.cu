// Managed memory in streams: threads take tasks of all sizes from one list. A task's matrix is
// attached to the thread's stream and multiplied by the GPU, or to the host and multiplied there.
#include "measure.h"

#include <atomic>
#include <thread>

constexpr int kTasks = 40, kThreads = 4, kSideMin = 128, kSideMax = 1024;

struct Task {
    uint32_t side;
    bool on_host;
    uint32_t *matrix, *vector, *product;
};

__global__ void multiply(const uint32_t* matrix, const uint32_t* vector, uint32_t* product,
                         uint32_t side) {
    const uint32_t* row = matrix + size_t(blockIdx.x) * side;
    uint32_t sum = 0;
    for (uint32_t i = threadIdx.x; i < side; i += warpSize) sum += row[i] * vector[i];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
    if (threadIdx.x == 0) product[blockIdx.x] = sum;
}

static void multiply_here(const Task& task) {
    for (uint32_t row = 0; row < task.side; row++) {
        uint32_t sum = 0;
        for (uint32_t i = 0; i < task.side; i++)
            sum += task.matrix[size_t(row) * task.side + i] * task.vector[i];
        task.product[row] = sum;
    }
}

static void attach(const Task& task, cudaStream_t stream, unsigned how) {
    CHECK(cudaStreamAttachMemAsync(stream, task.matrix, 0, how));
    CHECK(cudaStreamAttachMemAsync(stream, task.vector, 0, how));
    CHECK(cudaStreamAttachMemAsync(stream, task.product, 0, how));
    CHECK(cudaStreamSynchronize(stream));
}

static void fill(const Task& task, uint32_t seed) {
    for (size_t i = 0; i < size_t(task.side) * task.side; i++)
        task.matrix[i] = seed + static_cast<uint32_t>(i * 2654435761u >> 7);
    for (uint32_t i = 0; i < task.side; i++) task.vector[i] = seed ^ i;
}

static void run(const Task& task, cudaStream_t stream, uint32_t seed) {
    attach(task, stream, cudaMemAttachHost);
    fill(task, seed);
    if (task.on_host) {
        multiply_here(task);
        return;
    }
    attach(task, stream, cudaMemAttachSingle);
    multiply<<<task.side, 32, 0, stream>>>(task.matrix, task.vector, task.product, task.side);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));
}

int main(int argc, char** argv) {
    Numbers numbers;
    std::vector<Task> tasks(kTasks);
    for (int i = 0; i < kTasks; i++) {
        Task& task = tasks[i];
        task.side = kSideMin + numbers.below(kSideMax - kSideMin + 1);
        task.on_host = i % 2;
        size_t bytes = task.side * sizeof(uint32_t);
        CHECK(cudaMallocManaged(&task.matrix, bytes * task.side));
        CHECK(cudaMallocManaged(&task.vector, bytes));
        CHECK(cudaMallocManaged(&task.product, bytes));
    }
    std::vector<cudaStream_t> streams(kThreads);
    for (auto& stream : streams) CHECK(cudaStreamCreate(&stream));
    return measure("managed_streams", repeats(argc, argv), [&] {
        uint64_t sum = 0;
        // With other numbers each time.
        for (int pass = 0; pass < 2; pass++) {
            std::atomic<int> next = 0;
            std::vector<std::thread> threads;
            for (auto stream : streams)
                threads.emplace_back([&, stream] {
                    for (int i; (i = next++) < kTasks;) run(tasks[i], stream, pass * kTasks + i);
                });
            for (auto& thread : threads) thread.join();
            for (auto& task : tasks) sum = checksum(task.product, task.side, sum);
        }
        return sum;
    });
}
