// Virtual functions of objects on the device's heap, and functions by their addresses: in
// variables, tables, arguments and packed structures. Then the size of a warp as a variable, and
// barriers that count.
#include <cuda_runtime.h>

#include <vector>

#include "check.h"

struct Shape {
    __device__ Shape() {}
    __device__ virtual ~Shape() {}
    __device__ virtual int area(int scale) const = 0;
    __device__ virtual int sides() const { return 0; }
};

struct Square : Shape {
    int edge;
    __device__ explicit Square(int edge) : edge(edge) {}
    __device__ int area(int scale) const override { return edge * edge * scale; }
    __device__ int sides() const override { return 4; }
};

struct Line : Shape {
    __device__ int area(int) const override { return -1; }
};

__global__ void build(Shape** shapes, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        if (i % 3 == 0)
            shapes[i] = new Line();
        else
            shapes[i] = new Square(i);
    }
}

__global__ void measure(Shape** shapes, int* areas, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        areas[i] = shapes[i]->area(2) * 10 + shapes[i]->sides();
}

__global__ void destroy(Shape** shapes, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) delete shapes[i];
}

using Operation = int (*)(int);
__device__ __noinline__ int successor(int x) { return x + 1; }
__device__ __noinline__ int twice(int x) { return 2 * x; }
// It waits for the other threads of its warp.
__device__ __noinline__ int neighbour(int x) { return __shfl_xor_sync(0xffffffff, x, 1); }

__device__ Operation chosen = twice;
__device__ Operation table[3] = {successor, twice, neighbour};

#pragma pack(push, 1)
struct Packed {
    char before;
    int* number;
    Operation operation;
};
#pragma pack(pop)
__device__ int number = 42;
__device__ Packed packed = {'p', &number, successor};

__global__ void call(Operation argument, int* results) {
    int t = threadIdx.x, n = blockDim.x;
    results[t] = argument(t);
    for (int i = 0; i < 3; i++) results[(1 + i) * n + t] = table[i](t);
    results[4 * n + t] = packed.before + *packed.number + packed.operation(t);
    Operation selected = t % 2 ? successor : twice;
    results[5 * n + t] = selected(t);
}

__global__ void count(int* results) {
    int t = threadIdx.x;
    int few = __syncthreads_count(t < 20), all = __syncthreads_and(t < 2000),
        one = __syncthreads_or(t == 20);
    __syncthreads();
    int lane = t % warpSize + warpSize;
    for (int i = t; i < blockDim.x; i += warpSize) lane += __shfl_sync(0xffffffff, 1, 0);
    results[t] = few * 1000 + all * 100 + one * 10 + (lane > 0);
    results[blockDim.x + t] = t % warpSize + warpSize / 2;
}

int main() {
    const int shapes_count = 100, threads = 64;
    Shape** shapes;
    int* results;
    CHECK(cudaMalloc(&shapes, shapes_count * sizeof(Shape*)));
    CHECK(cudaMalloc(&results, 6 * threads * sizeof(int)));
    std::vector<int> found(6 * threads);

    build<<<1, 32>>>(shapes, shapes_count);
    measure<<<1, 32>>>(shapes, results, shapes_count);
    destroy<<<1, 32>>>(shapes, shapes_count);
    CHECK(cudaMemcpy(found.data(), results, shapes_count * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < shapes_count; i++) {
        int expected = i % 3 == 0 ? -10 : i * i * 20 + 4;
        EXPECT(found[i] == expected, "shape %d measures %d, expected %d", i, found[i], expected);
    }

    Operation operation;
    CHECK(cudaMemcpyFromSymbol(&operation, chosen, sizeof operation));
    call<<<1, threads>>>(operation, results);
    CHECK(cudaMemcpy(found.data(), results, found.size() * sizeof(int), cudaMemcpyDeviceToHost));
    for (int t = 0; t < threads; t++) {
        int expected[6] = {2 * t, t + 1, 2 * t, t ^ 1, 'p' + 42 + t + 1, t % 2 ? t + 1 : 2 * t};
        for (int i = 0; i < 6; i++) {
            int result = found[i * threads + t];
            EXPECT(result == expected[i], "call %d of thread %d gives %d, expected %d", i, t,
                   result, expected[i]);
        }
    }

    count<<<1, threads>>>(results);
    CHECK(cudaMemcpy(found.data(), results, 2 * threads * sizeof(int), cudaMemcpyDeviceToHost));
    for (int t = 0; t < threads; t++) {
        EXPECT(found[t] == 20111, "thread %d counts %d", t, found[t]);
        EXPECT(found[threads + t] == t % 32 + 16, "thread %d finds a warp of another size: %d", t,
               found[threads + t]);
    }
    return passed("functions by their addresses, and barriers that count");
}
