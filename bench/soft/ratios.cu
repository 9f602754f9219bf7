// How long kernels take beside the same loops in C, compiled by g++ -O2 and run on all cores.
// Prints one line per case and the ratio; a case whose results differ ends the program. The loops
// on the C side have the kernel's blocks and tiles: what is compared is the code, not the
// algorithm.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include <time.h>

#include "../../tests/e2e/programs/check.h"

struct Time {
    double wall_ms = 1e30, cpu_ms = 1e30;
};

// The fastest of several runs: on the clock, and in processor time of all cores, which other work
// on the machine disturbs less.
static Time fastest(const std::function<void()>& work) {
    const int runs = 9;
    auto now_ms = [](clockid_t clock) {
        timespec time;
        clock_gettime(clock, &time);
        return time.tv_sec * 1e3 + time.tv_nsec * 1e-6;
    };
    Time best;
    for (int i = 0; i < runs; i++) {
        double wall = now_ms(CLOCK_MONOTONIC), cpu = now_ms(CLOCK_PROCESS_CPUTIME_ID);
        work();
        best.wall_ms = std::min(best.wall_ms, now_ms(CLOCK_MONOTONIC) - wall);
        best.cpu_ms = std::min(best.cpu_ms, now_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu);
    }
    return best;
}

// body(first, last) over [0, count) on all cores.
template <class Body>
static void on_all_cores(int count, Body body) {
    int cores = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::thread> threads;
    for (int core = 0; core < cores; core++)
        threads.emplace_back([=] {
            body(int(int64_t(count) * core / cores), int(int64_t(count) * (core + 1) / cores));
        });
    for (auto& thread : threads) thread.join();
}

template <class T>
struct Buffer {
    std::vector<T> host;
    T* device = nullptr;
    explicit Buffer(size_t count) : host(count) { CHECK(cudaMalloc(&device, count * sizeof(T))); }
    void upload() {
        CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    std::vector<T> download() {
        std::vector<T> copy(host.size());
        CHECK(cudaMemcpy(copy.data(), device, copy.size() * sizeof(T), cudaMemcpyDeviceToHost));
        return copy;
    }
    void fill(unsigned seed, float low, float high) {
        for (auto& value : host) {
            seed = seed * 1664525u + 1013904223u;
            value = T(low + (high - low) * float(seed >> 8) / float(1 << 24));
        }
        upload();
    }
    void clear() { CHECK(cudaMemset(device, 0, host.size() * sizeof(T))); }
};

static const char* only = nullptr;

static void report(const char* name, const std::function<void()>& kernel,
                   const std::function<void()>& loops, const std::function<double()>& difference) {
    if (only && !strstr(name, only)) return;
    Time kernel_time = fastest([&] {
        kernel();
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
    });
    Time loops_time = fastest(loops);
    double found = difference();
    EXPECT(found < 1e-3, "%s: results differ by %g", name, found);
    std::printf("%-30s %9.2f ms %9.2f ms %7.2f %9.2f ms %9.2f ms %7.2f\n", name,
                kernel_time.wall_ms, loops_time.wall_ms, kernel_time.wall_ms / loops_time.wall_ms,
                kernel_time.cpu_ms, loops_time.cpu_ms, kernel_time.cpu_ms / loops_time.cpu_ms);
    std::fflush(stdout);
}

template <class T>
static double largest_difference(const std::vector<T>& found, const std::vector<T>& wanted) {
    double most = 0;
    for (size_t i = 0; i < found.size(); i++)
        most = std::max(most, std::fabs(double(found[i]) - double(wanted[i])) /
                                  std::max(1.0, std::fabs(double(wanted[i]))));
    return most;
}

// ---- vector add ----

__global__ void add(const float* a, const float* b, float* c, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) c[i] = a[i] + b[i];
}

static void vector_add() {
    const int count = 1 << 16;  // fits the caches: what is measured is the code, not the memory
    Buffer<float> a(count), b(count), c(count);
    a.fill(1, -1, 1), b.fill(2, -1, 1);
    report(
        "vector add, 100 x 65,536",
        [&] {
            for (int i = 0; i < 100; i++)
                add<<<count / 256, 256>>>(a.device, b.device, c.device, count);
        },
        [&] {
            for (int r = 0; r < 100; r++)
                on_all_cores(count, [&](int first, int last) {
                    for (int i = first; i < last; i++) c.host[i] = a.host[i] + b.host[i];
                });
        },
        [&] { return largest_difference(c.download(), c.host); });
}

// ---- SGEMM with tiles in shared memory ----

constexpr int kTile = 16;

__global__ void multiply(const float* a, const float* b, float* c, int n) {
    __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * kTile + y,
        column = blockIdx.x * kTile + x;
    float sum = 0;
    for (int start = 0; start < n; start += kTile) {
        tile_a[y][x] = a[row * n + start + x];
        tile_b[y][x] = b[(start + y) * n + column];
        __syncthreads();
        for (int k = 0; k < kTile; k++) sum += tile_a[y][k] * tile_b[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

static void multiply_loops(const float* a, const float* b, float* c, int n, int block_row) {
    for (int block_column = 0; block_column < n / kTile; block_column++) {
        float tile_a[kTile][kTile], tile_b[kTile][kTile], sum[kTile][kTile] = {};
        for (int start = 0; start < n; start += kTile) {
            for (int y = 0; y < kTile; y++)
                for (int x = 0; x < kTile; x++) {
                    tile_a[y][x] = a[(block_row * kTile + y) * n + start + x];
                    tile_b[y][x] = b[(start + y) * n + block_column * kTile + x];
                }
            for (int y = 0; y < kTile; y++)
                for (int x = 0; x < kTile; x++) {
                    float own = sum[y][x];
                    for (int k = 0; k < kTile; k++) own += tile_a[y][k] * tile_b[k][x];
                    sum[y][x] = own;
                }
        }
        for (int y = 0; y < kTile; y++)
            for (int x = 0; x < kTile; x++)
                c[(block_row * kTile + y) * n + block_column * kTile + x] = sum[y][x];
    }
}

static void sgemm() {
    const int n = 512;
    Buffer<float> a(n * n), b(n * n), c(n * n);
    a.fill(1, -1, 1), b.fill(2, -1, 1);
    report(
        "SGEMM 512, tiles of 16x16",
        [&] {
            multiply<<<dim3(n / kTile, n / kTile), dim3(kTile, kTile)>>>(a.device, b.device,
                                                                         c.device, n);
        },
        [&] {
            on_all_cores(n / kTile, [&](int first, int last) {
                for (int row = first; row < last; row++)
                    multiply_loops(a.host.data(), b.host.data(), c.host.data(), n, row);
            });
        },
        [&] { return largest_difference(c.download(), c.host); });
}

// ---- reduction: a grid-stride sum, then a tree in shared memory ----

constexpr int kThreads = 256;

__global__ void sum_tree(const float* in, float* out, int count) {
    __shared__ float part[kThreads];
    float own = 0;
    for (int i = blockIdx.x * kThreads + threadIdx.x; i < count; i += gridDim.x * kThreads)
        own += in[i];
    part[threadIdx.x] = own;
    __syncthreads();
    for (int half = kThreads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

__global__ void sum_shuffle(const float* in, float* out, int count) {
    __shared__ float part[kThreads / 32];
    float own = 0;
    for (int i = blockIdx.x * kThreads + threadIdx.x; i < count; i += gridDim.x * kThreads)
        own += in[i];
    for (int step = 16; step > 0; step /= 2) own += __shfl_down_sync(~0u, own, step);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x < 32) {
        own = threadIdx.x < kThreads / 32 ? part[threadIdx.x] : 0;
        for (int step = 16; step > 0; step /= 2) own += __shfl_down_sync(~0u, own, step);
        if (threadIdx.x == 0) out[blockIdx.x] = own;
    }
}

static void sum_loops(const float* in, float* out, int count, int blocks, int block) {
    float part[kThreads];
    for (int t = 0; t < kThreads; t++) {
        float own = 0;
        for (int i = block * kThreads + t; i < count; i += blocks * kThreads) own += in[i];
        part[t] = own;
    }
    for (int half = kThreads / 2; half > 0; half /= 2)
        for (int t = 0; t < half; t++) part[t] += part[t + half];
    out[block] = part[0];
}

static void reduction() {
    const int count = 1 << 20, blocks = 64;
    Buffer<float> in(count), out(blocks);
    in.fill(1, 0, 1);
    auto loops = [&] {
        on_all_cores(blocks, [&](int first, int last) {
            for (int block = first; block < last; block++)
                sum_loops(in.host.data(), out.host.data(), count, blocks, block);
        });
    };
    auto difference = [&] { return largest_difference(out.download(), out.host); };
    report(
        "reduction of 1 Mi, tree",
        [&] { sum_tree<<<blocks, kThreads>>>(in.device, out.device, count); }, loops, difference);
    report(
        "reduction of 1 Mi, shuffles",
        [&] { sum_shuffle<<<blocks, kThreads>>>(in.device, out.device, count); }, loops,
        difference);
}

// ---- stencil ----

__global__ void blur(const float* in, float* out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    const float* at = in + y * width + x;
    out[y * width + x] = 0.5f * at[0] + 0.125f * (at[-1] + at[1] + at[-width] + at[width]);
}

static void stencil() {
    const int width = 1024, height = 1024;
    Buffer<float> in(width * height), out(width * height);
    in.fill(1, 0, 1), out.clear();
    report(
        "stencil 1024x1024, 5 points",
        [&] {
            blur<<<dim3(width / 32, height / 8), dim3(32, 8)>>>(in.device, out.device, width,
                                                                height);
        },
        [&] {
            on_all_cores(height, [&](int first, int last) {
                for (int y = std::max(first, 1); y < std::min(last, height - 1); y++)
                    for (int x = 1; x < width - 1; x++) {
                        const float* at = in.host.data() + y * width + x;
                        out.host[y * width + x] =
                            0.5f * at[0] + 0.125f * (at[-1] + at[1] + at[-width] + at[width]);
                    }
            });
        },
        [&] { return largest_difference(out.download(), out.host); });
}

// ---- histogram: one in shared memory per block, then added up ----

__global__ void count_bytes(const unsigned char* in, unsigned* bins, int count) {
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < count; i += gridDim.x * 256)
        atomicAdd(&own[in[i]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

static void histogram() {
    const int count = 1 << 20, blocks = 64;
    Buffer<unsigned char> in(count);
    Buffer<unsigned> bins(256);
    in.fill(1, 0, 255);
    report(
        "histogram of 1 Mi bytes",
        [&] {
            bins.clear();
            count_bytes<<<blocks, 256>>>(in.device, bins.device, count);
        },
        [&] {
            std::fill(bins.host.begin(), bins.host.end(), 0);
            on_all_cores(blocks, [&](int first, int last) {
                for (int block = first; block < last; block++) {
                    unsigned own[256] = {};
                    for (int t = 0; t < 256; t++)
                        for (int i = block * 256 + t; i < count; i += blocks * 256)
                            own[in.host[i]]++;
                    for (int t = 0; t < 256; t++)
                        __atomic_fetch_add(&bins.host[t], own[t], __ATOMIC_RELAXED);
                }
            });
        },
        [&] { return largest_difference(bins.download(), bins.host); });
}

// ---- Black-Scholes ----

__host__ __device__ inline float normal_below(float d) {
    const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float tail =
        0.39894228040143267794f * expf(-0.5f * d * d) *
        (k * (0.31938153f +
              k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1.0f - tail : tail;
}

__host__ __device__ inline void price(float& call, float& put, float spot, float strike,
                                      float years) {
    const float rate = 0.02f, volatility = 0.30f;
    float root = sqrtf(years);
    float d1 = (logf(spot / strike) + (rate + 0.5f * volatility * volatility) * years) /
               (volatility * root);
    float d2 = d1 - volatility * root, below1 = normal_below(d1), below2 = normal_below(d2),
          discount = expf(-rate * years);
    call = spot * below1 - strike * discount * below2;
    put = strike * discount * (1.0f - below2) - spot * (1.0f - below1);
}

__global__ void price_all(float* call, float* put, const float* spot, const float* strike,
                          const float* years, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) price(call[i], put[i], spot[i], strike[i], years[i]);
}

static void black_scholes() {
    const int count = 1 << 19;
    Buffer<float> call(count), put(count), spot(count), strike(count), years(count);
    spot.fill(1, 5, 30), strike.fill(2, 1, 100), years.fill(3, 0.25f, 10);
    report(
        "Black-Scholes, 512 Ki options",
        [&] {
            price_all<<<count / 128, 128>>>(call.device, put.device, spot.device, strike.device,
                                            years.device, count);
        },
        [&] {
            on_all_cores(count, [&](int first, int last) {
                for (int i = first; i < last; i++)
                    price(call.host[i], put.host[i], spot.host[i], strike.host[i], years.host[i]);
            });
        },
        [&] {
            return std::max(largest_difference(call.download(), call.host),
                            largest_difference(put.download(), put.host));
        });
}

// ---- n-body, bodies of a tile in shared memory ----

__host__ __device__ inline void pull(float3& force, float4 own, float4 other) {
    float x = other.x - own.x, y = other.y - own.y, z = other.z - own.z;
    float square = x * x + y * y + z * z + 0.01f;
    float inverse = 1.0f / sqrtf(square), scale = other.w * inverse * inverse * inverse;
    force.x += x * scale, force.y += y * scale, force.z += z * scale;
}

__global__ void attract(const float4* bodies, float4* forces, int count) {
    __shared__ float4 tile[kThreads];
    int i = blockIdx.x * kThreads + threadIdx.x;
    float4 own = bodies[i];
    float3 force = {0, 0, 0};
    for (int start = 0; start < count; start += kThreads) {
        tile[threadIdx.x] = bodies[start + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < kThreads; j++) pull(force, own, tile[j]);
        __syncthreads();
    }
    forces[i] = {force.x, force.y, force.z, 0};
}

static void n_body() {
    const int count = 4096;
    Buffer<float> bodies(count * 4), forces(count * 4);
    bodies.fill(1, 0.1f, 1);
    auto device = [](Buffer<float>& buffer) { return reinterpret_cast<float4*>(buffer.device); };
    auto host = [](Buffer<float>& buffer) { return reinterpret_cast<float4*>(buffer.host.data()); };
    report(
        "n-body, 4,096 bodies",
        [&] { attract<<<count / kThreads, kThreads>>>(device(bodies), device(forces), count); },
        [&] {
            on_all_cores(count, [&](int first, int last) {
                for (int i = first; i < last; i++) {
                    float3 force = {0, 0, 0};
                    for (int j = 0; j < count; j++) pull(force, host(bodies)[i], host(bodies)[j]);
                    host(forces)[i] = {force.x, force.y, force.z, 0};
                }
            });
        },
        [&] { return largest_difference(forces.download(), forces.host); });
}

int main(int count, char** words) {
    if (count > 1) only = words[1];
    std::printf("%-30s %12s %12s %7s %12s %12s %7s\n", "case", "kernel", "C, -O2", "ratio",
                "CPU time", "of C", "ratio");
    vector_add();
    sgemm();
    reduction();
    stencil();
    histogram();
    black_scholes();
    n_body();
}
