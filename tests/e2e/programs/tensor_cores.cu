// Tensor cores: WMMA fragments of several types, mma and ldmatrix with the layouts that PTX
// documents, asynchronous copies and barriers in shared memory. Needs compute capability 8.0.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <mma.h>

#include <cuda/barrier>
#include <vector>

#include "check.h"

using namespace nvcuda;

// Small integers, so that every sum is exact in every type.
static int element(int row, int column, int seed) { return (row * 7 + column * 5 + seed) % 9 - 4; }

template <class T>
static std::vector<T> matrix(int rows, int columns, int seed) {
    std::vector<T> values(rows * columns);
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++)
            values[row * columns + column] = T(float(element(row, column, seed)));
    return values;
}

template <>
std::vector<double> matrix<double>(int rows, int columns, int seed) {
    std::vector<double> values(rows * columns);
    for (int i = 0; i < rows * columns; i++) values[i] = element(i / columns, i % columns, seed);
    return values;
}

template <>
std::vector<signed char> matrix<signed char>(int rows, int columns, int seed) {
    std::vector<signed char> values(rows * columns);
    for (int i = 0; i < rows * columns; i++) values[i] = element(i / columns, i % columns, seed);
    return values;
}

template <class T>
static T* upload(const std::vector<T>& values) {
    T* device;
    CHECK(cudaMalloc(&device, values.size() * sizeof(T)));
    CHECK(cudaMemcpy(device, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return device;
}

// d = a * b + c, with c = 1 everywhere.
template <class D>
static void compare(const D* device, int m, int n, int k, const char* what) {
    std::vector<D> found(m * n);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(found.data(), device, found.size() * sizeof(D), cudaMemcpyDeviceToHost));
    for (int row = 0; row < m; row++)
        for (int column = 0; column < n; column++) {
            int sum = 1;
            for (int i = 0; i < k; i++) sum += element(row, i, 1) * element(i, column, 2);
            double value = double(float(found[row * n + column]));
            EXPECT(value == sum, "%s: d[%d][%d] = %g, expected %d", what, row, column, value, sum);
        }
}

template <int M, int N, int K, class AB, class D, class Fragment, class LayoutB>
__global__ void wmma_product(const AB* a, const AB* b, D* d) {
    wmma::fragment<wmma::matrix_a, M, N, K, Fragment, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, Fragment, LayoutB> fb;
    wmma::fragment<wmma::accumulator, M, N, K, D> fd;
    wmma::fill_fragment(fd, D(1.0f));
    wmma::load_matrix_sync(fa, a, K);
    wmma::load_matrix_sync(fb, b, N);
    wmma::mma_sync(fd, fa, fb, fd);
    wmma::store_matrix_sync(d, fd, N, wmma::mem_row_major);
}

template <int M, int N, int K, class AB, class D, class Fragment = AB>
static void try_wmma(const char* what) {
    AB *a = upload(matrix<AB>(M, K, 1)), *b = upload(matrix<AB>(K, N, 2));
    D* d;
    CHECK(cudaMalloc(&d, M * N * sizeof(D)));
    wmma_product<M, N, K, AB, D, Fragment, wmma::row_major><<<1, 32>>>(a, b, d);
    CHECK(cudaGetLastError());
    compare(d, M, N, K, what);
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(d));
}

// mma.m16n8k16 with fragments from ldmatrix, stored as the manual lays them out.
__global__ void mma_product(const __half* a, const __half* b, float* d) {
    __shared__ __align__(16) __half tile_a[16 * 16], tile_b[16 * 8];
    int lane = threadIdx.x;
    for (int i = lane * 8; i < 16 * 16; i += 32 * 8) __pipeline_memcpy_async(tile_a + i, a + i, 16);
    if (lane < 16) __pipeline_memcpy_async(tile_b + lane * 8, b + lane * 8, 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();
    unsigned fa[4], fb[2];
    unsigned at_a = __cvta_generic_to_shared(tile_a + (lane % 16) * 16 + lane / 16 * 8);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
                 : "r"(at_a));
    unsigned at_b = __cvta_generic_to_shared(tile_b + (lane % 16) * 8);
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(fb[0]), "=r"(fb[1])
                 : "r"(at_b));
    float c[4] = {1, 1, 1, 1};
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
    for (int i = 0; i < 4; i++) d[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = c[i];
}

__global__ void mma_product_s8(const signed char* a, const signed char* b, int* d) {
    int lane = threadIdx.x, group = lane / 4, within = lane % 4;
    int fa[4], fb[2], c[4] = {1, 1, 1, 1};
    for (int r = 0; r < 4; r++) {
        char4 four;
        signed char* bytes = reinterpret_cast<signed char*>(&four);
        for (int i = 0; i < 4; i++)
            bytes[i] = a[(group + r % 2 * 8) * 32 + within * 4 + i + r / 2 * 16];
        fa[r] = *reinterpret_cast<int*>(&four);
    }
    for (int r = 0; r < 2; r++) {
        char4 four;
        signed char* bytes = reinterpret_cast<signed char*>(&four);
        for (int i = 0; i < 4; i++) bytes[i] = b[(within * 4 + i + r * 16) * 8 + group];
        fb[r] = *reinterpret_cast<int*>(&four);
    }
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, "
        "%9}, {%0, %1, %2, %3};"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
        : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
    for (int i = 0; i < 4; i++) d[(group + i / 2 * 8) * 8 + within * 2 + i % 2] = c[i];
}

static void try_mma() {
    __half *a = upload(matrix<__half>(16, 16, 1)), *b = upload(matrix<__half>(16, 8, 2));
    float* d;
    CHECK(cudaMalloc(&d, 16 * 8 * sizeof(float)));
    mma_product<<<1, 32>>>(a, b, d);
    CHECK(cudaGetLastError());
    compare(d, 16, 8, 16, "mma of halves");
    signed char *bytes_a = upload(matrix<signed char>(16, 32, 1)),
                *bytes_b = upload(matrix<signed char>(32, 8, 2));
    int* sums;
    CHECK(cudaMalloc(&sums, 16 * 8 * sizeof(int)));
    mma_product_s8<<<1, 32>>>(bytes_a, bytes_b, sums);
    CHECK(cudaGetLastError());
    compare(sums, 16, 8, 32, "mma of bytes");
}

// Two halves of a block hand a value to and fro over barriers in shared memory.
#pragma nv_diag_suppress static_var_with_dynamic_init
__global__ void hand_over(int* out, int rounds) {
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ barrier full, empty;
    __shared__ int box[64];
    if (threadIdx.x == 0) {
        init(&full, blockDim.x);
        init(&empty, blockDim.x);
    }
    __syncthreads();
    int lane = threadIdx.x % 64;
    bool gives = threadIdx.x < 64;
    int sum = 0;
    for (int round = 0; round < rounds; round++) {
        if (gives) {
            box[lane] = round * 64 + lane;
            (void)full.arrive();
            empty.arrive_and_wait();
        } else {
            full.arrive_and_wait();
            sum += box[63 - lane];
            (void)empty.arrive();
        }
    }
    if (!gives) out[lane] = sum;
}

static void try_barriers() {
    const int rounds = 5;
    int* out;
    CHECK(cudaMalloc(&out, 64 * sizeof(int)));
    hand_over<<<1, 128>>>(out, rounds);
    CHECK(cudaGetLastError());
    int found[64];
    CHECK(cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost));
    for (int lane = 0; lane < 64; lane++) {
        int expected = 0;
        for (int round = 0; round < rounds; round++) expected += round * 64 + 63 - lane;
        EXPECT(found[lane] == expected, "barriers: lane %d found %d, expected %d", lane,
               found[lane], expected);
    }
}

int main() {
    int major = 0;
    CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    if (major < 8)
        return passed("nothing done: compute capability %d has no tensor cores of this kind",
                      major);
    try_wmma<16, 16, 16, __half, float>("halves");
    try_wmma<16, 16, 16, __half, __half>("halves in halves");
    try_wmma<32, 8, 16, __half, float>("halves, 32 x 8");
    try_wmma<8, 32, 16, __nv_bfloat16, float>("bfloat16, 8 x 32");
    try_wmma<16, 16, 16, __nv_bfloat16, float>("bfloat16");
    try_wmma<16, 16, 16, signed char, int>("bytes");
    try_wmma<16, 16, 8, float, float, wmma::precision::tf32>("tf32");
    try_wmma<8, 8, 4, double, double>("doubles");
    try_mma();
    try_barriers();
    return passed("WMMA of eight kinds, mma, ldmatrix, asynchronous copies, barriers");
}
