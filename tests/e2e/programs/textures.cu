// Textures over linear memory, pitched memory, arrays, volumes, layers and mipmaps, as the runtime
// API makes them. Values are chosen so that filtering is exact, and every result has one right
// value.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "check.h"

static const int width = 96, height = 40, depth = 6;

// Small whole numbers: halves and quarters of them are exact.
static float element(int x, int y, int z) { return (x * 7 + y * 13 + z * 29) % 64 * 4; }

static std::vector<float> elements(int w, int h, int d) {
    std::vector<float> values;
    for (int z = 0; z < d; z++)
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) values.push_back(element(x, y, z));
    return values;
}

static cudaTextureDesc sampling(cudaTextureAddressMode mode, cudaTextureFilterMode filter,
                                bool normalized) {
    cudaTextureDesc description = {};
    for (auto& each : description.addressMode) each = mode;
    description.filterMode = filter;
    description.readMode = cudaReadModeElementType;
    description.normalizedCoords = normalized;
    return description;
}

static cudaTextureObject_t over_array(cudaArray_t array, const cudaTextureDesc& description) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    return texture;
}

// What a kernel found, compared with what a function of the host says.
template <typename Expected>
static void compare(const char* what, const float* device, int count, Expected expected) {
    std::vector<float> found(count);
    CHECK(cudaMemcpy(found.data(), device, count * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; i++)
        EXPECT(found[i] == expected(i), "%s: element %d is %g, expected %g", what, i, found[i],
               expected(i));
}

template <typename T>
static T* room(int count) {
    T* address;
    CHECK(cudaMalloc(&address, count * sizeof(T)));
    CHECK(cudaMemset(address, 0xff, count * sizeof(T)));
    return address;
}

__global__ void fetch(cudaTextureObject_t texture, float* out, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = tex1Dfetch<float>(texture, count - 1 - i);
}

static void linear_memory() {
    const int count = width * height;
    std::vector<float> values = elements(width, height, 1);
    float *memory = room<float>(count), *out = room<float>(count);
    CHECK(cudaMemcpy(memory, values.data(), count * sizeof(float), cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = count * sizeof(float);
    cudaTextureDesc description = sampling(cudaAddressModeClamp, cudaFilterModePoint, false);
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    fetch<<<(count + 127) / 128, 128>>>(texture, out, count);
    compare("linear memory", out, count, [&](int i) { return values[count - 1 - i]; });
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFree(memory));
    CHECK(cudaFree(out));
}

// Half an element to the right and down: the mean of four.
__global__ void soften(cudaTextureObject_t texture, float* out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = tex2D<float>(texture, x + 1.0f, y + 1.0f);
}

static float softened(int i) {
    int x = i % width, y = i / width, right = std::min(x + 1, width - 1),
        below = std::min(y + 1, height - 1);
    return (element(x, y, 0) + element(right, y, 0) + element(x, below, 0) +
            element(right, below, 0)) /
           4;
}

static void planes() {
    std::vector<float> values = elements(width, height, 1);
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    float* out = room<float>(width * height);
    dim3 block(16, 8), grid((width + 15) / 16, (height + 7) / 8);
    cudaTextureDesc description = sampling(cudaAddressModeClamp, cudaFilterModeLinear, false);

    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &channel, width, height));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, values.data(), width * 4, width * 4, height,
                              cudaMemcpyHostToDevice));
    cudaChannelFormatDesc found;
    cudaExtent extent;
    unsigned flags;
    CHECK(cudaArrayGetInfo(&found, &extent, &flags, array));
    EXPECT(found.x == 32 && found.y == 0 && found.f == cudaChannelFormatKindFloat,
           "the array's channels are %d %d", found.x, found.y);
    EXPECT((int)extent.width == width && (int)extent.height == height, "the array is %zu by %zu",
           extent.width, extent.height);
    cudaTextureObject_t texture = over_array(array, description);
    soften<<<grid, block>>>(texture, out, width, height);
    compare("an array", out, width * height, softened);
    CHECK(cudaDestroyTextureObject(texture));

    float* memory;
    size_t pitch;
    CHECK(cudaMallocPitch(&memory, &pitch, width * 4, height));
    CHECK(cudaMemcpy2DFromArray(memory, pitch, array, 0, 0, width * 4, height,
                                cudaMemcpyDeviceToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = memory;
    resource.res.pitch2D.desc = channel;
    resource.res.pitch2D.width = width;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = pitch;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    CHECK(cudaMemset(out, 0, width * height * 4));
    soften<<<grid, block>>>(texture, out, width, height);
    compare("pitched memory", out, width * height, softened);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFree(memory));
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(out));
}

__global__ void tile(cudaTextureObject_t texture, float* out) {
    int x = threadIdx.x, y = blockIdx.x;
    // 4 by 4 elements, seen from -1 to 2.
    out[y * blockDim.x + x] = tex2D<float>(texture, (x - 4 + 0.5f) / 4, (y - 4 + 0.5f) / 4);
}

static void repeated() {
    std::vector<float> values = elements(4, 4, 1);
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &channel, 4, 4));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, values.data(), 16, 16, 4, cudaMemcpyHostToDevice));
    float* out = room<float>(144);
    auto wrap = [](int i) { return (i % 4 + 4) % 4; };
    auto mirror = [](int i) {
        int place = (i % 8 + 8) % 8;
        return place < 4 ? place : 7 - place;
    };
    for (auto mode : {cudaAddressModeWrap, cudaAddressModeMirror, cudaAddressModeBorder}) {
        cudaTextureObject_t texture = over_array(array, sampling(mode, cudaFilterModePoint, true));
        tile<<<12, 12>>>(texture, out);
        compare("a repeated array", out, 144, [&](int i) {
            int x = i % 12 - 4, y = i / 12 - 4;
            if (mode == cudaAddressModeBorder)
                return x >= 0 && x < 4 && y >= 0 && y < 4 ? element(x, y, 0) : 0.0f;
            return mode == cudaAddressModeWrap ? element(wrap(x), wrap(y), 0)
                                               : element(mirror(x), mirror(y), 0);
        });
        CHECK(cudaDestroyTextureObject(texture));
    }
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(out));
}

__global__ void between_slices(cudaTextureObject_t texture, float* out, int w, int h) {
    int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    out[(z * h + y) * w + x] = tex3D<float>(texture, x + 0.5f, y + 0.5f, z + 1.0f);
}

__global__ void from_layers(cudaTextureObject_t texture, float* out, int w, int h) {
    int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    out[(z * h + y) * w + x] = tex2DLayered<float>(texture, x + 0.5f, y + 0.5f, z);
}

static void volumes() {
    std::vector<float> values = elements(width, height, depth);
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    float* out = room<float>(width * height * depth);
    for (unsigned flags : {(unsigned)cudaArrayDefault, (unsigned)cudaArrayLayered}) {
        cudaArray_t array;
        CHECK(cudaMalloc3DArray(&array, &channel, make_cudaExtent(width, height, depth), flags));
        cudaMemcpy3DParms copy = {};
        copy.srcPtr = make_cudaPitchedPtr(values.data(), width * 4, width, height);
        copy.dstArray = array;
        copy.extent = make_cudaExtent(width, height, depth);
        copy.kind = cudaMemcpyHostToDevice;
        CHECK(cudaMemcpy3D(&copy));
        bool layered = flags == cudaArrayLayered;
        cudaTextureObject_t texture =
            over_array(array, sampling(cudaAddressModeClamp, cudaFilterModeLinear, false));
        (layered ? from_layers : between_slices)<<<dim3(height, depth), width>>>(texture, out,
                                                                                 width, height);
        compare(layered ? "layers" : "a volume", out, width * height * depth, [&](int i) {
            int x = i % width, y = i / width % height, z = i / width / height,
                next = layered ? z : std::min(z + 1, depth - 1);
            return (element(x, y, z) + element(x, y, next)) / 2;
        });
        // And back to the host.
        std::vector<float> back(values.size());
        cudaMemcpy3DParms from = {};
        from.srcArray = array;
        from.dstPtr = make_cudaPitchedPtr(back.data(), width * 4, width, height);
        from.extent = copy.extent;
        from.kind = cudaMemcpyDeviceToHost;
        CHECK(cudaMemcpy3D(&from));
        EXPECT(back == values, "an array of %d slices came back changed", depth);
        CHECK(cudaDestroyTextureObject(texture));
        CHECK(cudaFreeArray(array));
    }
    CHECK(cudaFree(out));
}

__global__ void colours(cudaTextureObject_t fractions, cudaTextureObject_t integers, float4* out,
                        uchar4* raw) {
    int i = threadIdx.x;
    out[i] = tex2D<float4>(fractions, i + 0.5f, 0.5f);
    raw[i] = tex2D<uchar4>(integers, i + 0.5f, 0.5f);
}

static void bytes() {
    const int count = 256;
    std::vector<uchar4> pixels(count);
    for (int i = 0; i < count; i++) pixels[i] = make_uchar4(i, 255 - i, i ^ 0x55, 255);
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<uchar4>();
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &channel, count, 1));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, pixels.data(), count * 4, count * 4, 1,
                              cudaMemcpyHostToDevice));
    cudaTextureDesc description = sampling(cudaAddressModeClamp, cudaFilterModePoint, false);
    cudaTextureObject_t integers = over_array(array, description);
    description.readMode = cudaReadModeNormalizedFloat;
    cudaTextureObject_t fractions = over_array(array, description);
    float4* out = room<float4>(count);
    uchar4* raw = room<uchar4>(count);
    colours<<<1, count>>>(fractions, integers, out, raw);
    std::vector<float4> found(count);
    std::vector<uchar4> same(count);
    CHECK(cudaMemcpy(found.data(), out, count * sizeof(float4), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(same.data(), raw, count * sizeof(uchar4), cudaMemcpyDeviceToHost));
    EXPECT(memcmp(same.data(), pixels.data(), count * 4) == 0, "bytes came back changed");
    for (int i = 0; i < count; i++) {
        float wanted[3] = {i / 255.0f, (255 - i) / 255.0f, (i ^ 0x55) / 255.0f};
        bool near =
            std::fabs(found[i].x - wanted[0]) < 1e-6f && std::fabs(found[i].y - wanted[1]) < 1e-6f;
        EXPECT(near && std::fabs(found[i].z - wanted[2]) < 1e-6f && found[i].w == 1,
               "pixel %d is %g %g %g %g", i, found[i].x, found[i].y, found[i].z, found[i].w);
    }
    CHECK(cudaDestroyTextureObject(integers));
    CHECK(cudaDestroyTextureObject(fractions));
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(out));
    CHECK(cudaFree(raw));
}

__global__ void from_levels(cudaTextureObject_t texture, float* out) {
    out[threadIdx.x] = tex2DLod<float>(texture, 0.5f, 0.5f, threadIdx.x * 0.5f);
}

static void mipmaps() {
    const int levels = 4, size = 8;
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t mipmapped;
    CHECK(cudaMallocMipmappedArray(&mipmapped, &channel, make_cudaExtent(size, size, 0), levels));
    for (int level = 0; level < levels; level++) {
        cudaArray_t array;
        CHECK(cudaGetMipmappedArrayLevel(&array, mipmapped, level));
        int side = size >> level;
        std::vector<float> values(side * side, level * 16.0f);
        CHECK(cudaMemcpy2DToArray(array, 0, 0, values.data(), side * 4, side * 4, side,
                                  cudaMemcpyHostToDevice));
    }
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = mipmapped;
    cudaTextureDesc description = sampling(cudaAddressModeClamp, cudaFilterModeLinear, true);
    description.mipmapFilterMode = cudaFilterModeLinear;
    description.maxMipmapLevelClamp = levels - 1;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    float* out = room<float>(9);
    from_levels<<<1, 9>>>(texture, out);
    compare("mipmaps", out, 9, [](int i) { return std::min(i * 8.0f, 48.0f); });
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeMipmappedArray(mipmapped));
    CHECK(cudaFree(out));
}

int main() {
    linear_memory();
    planes();
    repeated();
    volumes();
    bytes();
    mipmaps();
    return passed("textures over memory, arrays, volumes, layers and mipmaps");
}
