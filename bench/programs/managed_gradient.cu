// Conjugate gradient with everything in managed memory: a sparse matrix of a million rows, and
// scalars that the host reads and writes in each iteration. No vector is looked at before the end.
//
//   managed_gradient [REPEATS [ROWS [ITERATIONS]]]
#include "measure.h"

constexpr int kThreads = 256, kBlocks = 512;

struct Matrix {
    int rows;
    int *starts, *columns;
    float* values;
};

struct Scalars {
    double step, ratio, product;
};

__global__ void multiply(Matrix a, const float* x, float* y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= a.rows) return;
    float sum = 0;
    for (int i = a.starts[row]; i < a.starts[row + 1]; i++) sum += a.values[i] * x[a.columns[i]];
    y[row] = sum;
}

// In an order that is the same every time.
__device__ void add_up(double mine, double* sum) {
    __shared__ double sums[kThreads];
    sums[threadIdx.x] = mine;
    __syncthreads();
    for (int half = kThreads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) *sum = sums[0];
}

__global__ void dot_parts(const float* x, const float* y, int n, double* parts) {
    double mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += double(x[i]) * y[i];
    add_up(mine, parts + blockIdx.x);
}

__global__ void dot_end(const double* parts, double* sum) {
    add_up(parts[threadIdx.x] + parts[threadIdx.x + kThreads], sum);
}

__global__ void advance(const Scalars* s, const float* p, const float* ap, float* x, float* r,
                        int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    x[i] += float(s->step) * p[i];
    r[i] -= float(s->step) * ap[i];
}

__global__ void turn(const Scalars* s, const float* r, float* p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = r[i] + float(s->ratio) * p[i];
}

int main(int argc, char** argv) {
    const int n = argc > 2 ? std::atoi(argv[2]) : 1 << 20,
              iterations = argc > 3 ? std::atoi(argv[3]) : 300;
    Matrix a{n};
    float *x, *r, *p, *ap;
    double* parts;
    Scalars* s;
    CHECK(cudaMallocManaged(&a.starts, (n + 1) * sizeof(int)));
    CHECK(cudaMallocManaged(&a.columns, 3 * n * sizeof(int)));
    CHECK(cudaMallocManaged(&a.values, 3 * n * sizeof(float)));
    for (float** vector : {&x, &r, &p, &ap}) CHECK(cudaMallocManaged(vector, n * sizeof(float)));
    CHECK(cudaMallocManaged(&s, sizeof(Scalars)));
    CHECK(cudaMalloc(&parts, kBlocks * sizeof(double)));
    int entries = 0;
    for (int row = 0; row < n; row++) {
        a.starts[row] = entries;
        for (int column = std::max(row - 1, 0); column <= std::min(row + 1, n - 1); column++) {
            a.columns[entries] = column;
            a.values[entries++] = column == row ? 2.001f : -1.0f;
        }
    }
    a.starts[n] = entries;
    const int blocks = (n + kThreads - 1) / kThreads;
    auto dot = [&](const float* u, const float* v) {
        dot_parts<<<kBlocks, kThreads>>>(u, v, n, parts);
        dot_end<<<1, kThreads>>>(parts, &s->product);
        CHECK(cudaDeviceSynchronize());
        return s->product;
    };
    return measure("managed_gradient", repeats(argc, argv), [&] {
        for (int i = 0; i < n; i++) {
            x[i] = 0;
            r[i] = p[i] = static_cast<float>(i % 1009) / 1009;
        }
        double before = dot(r, r);
        for (int iteration = 0; iteration < iterations; iteration++) {
            multiply<<<blocks, kThreads>>>(a, p, ap);
            s->step = before / dot(p, ap);
            advance<<<blocks, kThreads>>>(s, p, ap, x, r, n);
            double now = dot(r, r);
            s->ratio = now / before;
            before = now;
            turn<<<blocks, kThreads>>>(s, r, p, n);
            CHECK(cudaDeviceSynchronize());
        }
        return checksum(x, n);
    });
}
