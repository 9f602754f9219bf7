// A five-point stencil on a pitched image, and boxes of memory copied and set in two and three
// dimensions.
#include <cuda_runtime.h>

#include <cstring>
#include <utility>
#include <vector>

#include "check.h"

__global__ void step(const float* input, float* output, size_t pitch, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    size_t stride = pitch / sizeof(float);
    float centre = input[y * stride + x];
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
        output[y * stride + x] = centre;
        return;
    }
    float around = input[(y - 1) * stride + x] + input[(y + 1) * stride + x] +
                   input[y * stride + x - 1] + input[y * stride + x + 1];
    output[y * stride + x] = 0.5f * centre + 0.125f * around;
}

static void stencil() {
    const int width = 333, height = 187, steps = 20;
    std::vector<float> image(width * height), next, result(width * height);
    for (int i = 0; i < width * height; i++) image[i] = i * 31 % 1024;

    float *a, *b;
    size_t pitch_a, pitch_b;
    CHECK(cudaMallocPitch(&a, &pitch_a, width * sizeof(float), height));
    CHECK(cudaMallocPitch(&b, &pitch_b, width * sizeof(float), height));
    EXPECT(pitch_a == pitch_b && pitch_a >= width * sizeof(float), "pitches %zu and %zu", pitch_a,
           pitch_b);
    CHECK(cudaMemcpy2D(a, pitch_a, image.data(), width * sizeof(float), width * sizeof(float),
                       height, cudaMemcpyHostToDevice));
    dim3 block(32, 8), grid((width + 31) / 32, (height + 7) / 8);
    for (int i = 0; i < steps; i++) {
        step<<<grid, block>>>(a, b, pitch_a, width, height);
        CHECK(cudaGetLastError());
        std::swap(a, b);
    }
    CHECK(cudaMemcpy2D(result.data(), width * sizeof(float), a, pitch_a, width * sizeof(float),
                       height, cudaMemcpyDeviceToHost));

    for (int i = 0; i < steps; i++) {
        next = image;
        for (int y = 1; y < height - 1; y++)
            for (int x = 1; x < width - 1; x++) {
                const float* at = &image[y * width + x];
                next[y * width + x] =
                    0.5f * at[0] + 0.125f * (at[-width] + at[width] + at[-1] + at[1]);
            }
        image.swap(next);
    }
    for (int i = 0; i < width * height; i++) {
        float difference = result[i] - image[i];
        EXPECT(difference < 0.01f && difference > -0.01f, "stencil: element %d is %g, expected %g",
               i, result[i], image[i]);
    }
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
}

// A window is cut out of a pitched image, moved on the device, and a frame around it is set.
static void windows() {
    const int width = 100, height = 40;
    std::vector<unsigned char> host(width * height), back(width * height, 0);
    for (int i = 0; i < width * height; i++) host[i] = i * 7;
    unsigned char *a, *b;
    size_t pitch_a, pitch_b;
    CHECK(cudaMallocPitch(&a, &pitch_a, width, height));
    CHECK(cudaMallocPitch(&b, &pitch_b, 2 * width, height));
    CHECK(cudaMemcpy2D(a, pitch_a, host.data(), width, width, height, cudaMemcpyHostToDevice));
    CHECK(cudaMemset2D(b, pitch_b, 0xee, 2 * width, height));
    CHECK(cudaMemcpy2D(b + 3 * pitch_b + 11, pitch_b, a + 5 * pitch_a + 7, pitch_a, 50, 20,
                       cudaMemcpyDeviceToDevice));
    CHECK(cudaMemset2D(b + 10 * pitch_b + 20, pitch_b, 0x11, 4, 6));
    CHECK(cudaMemcpy2D(back.data(), width, b, pitch_b, width, height, cudaMemcpyDeviceToHost));
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int expected = 0xee;
            if (y >= 3 && y < 23 && x >= 11 && x < 61) expected = host[(y + 2) * width + x - 4];
            if (y >= 10 && y < 16 && x >= 20 && x < 24) expected = 0x11;
            EXPECT(back[y * width + x] == expected, "window: (%d, %d) is %d, expected %d", x, y,
                   back[y * width + x], expected);
        }
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
}

static void boxes() {
    const int width = 40, height = 12, depth = 9;  // width in bytes
    std::vector<unsigned char> host(width * height * depth), back(width * height * depth, 0);
    for (size_t i = 0; i < host.size(); i++) host[i] = i * 11 + i / 256;
    cudaExtent whole = make_cudaExtent(width, height, depth);
    cudaPitchedPtr box, other;
    CHECK(cudaMalloc3D(&box, whole));
    CHECK(cudaMalloc3D(&other, whole));
    CHECK(cudaMemset3D(other, 0x5a, whole));

    cudaMemcpy3DParms up = {};
    up.srcPtr = make_cudaPitchedPtr(host.data(), width, width, height);
    up.dstPtr = box;
    up.extent = whole;
    up.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&up));

    cudaMemcpy3DParms across = {};
    across.srcPtr = box;
    across.srcPos = make_cudaPos(4, 3, 2);
    across.dstPtr = other;
    across.dstPos = make_cudaPos(8, 1, 5);
    across.extent = make_cudaExtent(20, 6, 3);
    across.kind = cudaMemcpyDeviceToDevice;
    CHECK(cudaMemcpy3D(&across));

    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    cudaMemcpy3DParms down = {};
    down.srcPtr = other;
    down.dstPtr = make_cudaPitchedPtr(back.data(), width, width, height);
    down.extent = whole;
    down.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy3DAsync(&down, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));

    for (int z = 0; z < depth; z++)
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) {
                bool inside = x >= 8 && x < 28 && y >= 1 && y < 7 && z >= 5 && z < 8;
                int expected = inside ? host[((z - 3) * height + y + 2) * width + x - 4] : 0x5a;
                int found = back[(z * height + y) * width + x];
                EXPECT(found == expected, "box: (%d, %d, %d) is %d, expected %d", x, y, z, found,
                       expected);
            }
    CHECK(cudaFree(box.ptr));
    CHECK(cudaFree(other.ptr));
}

int main() {
    stencil();
    windows();
    boxes();
    return passed("stencil of 20 steps; windows and boxes copied and set");
}
