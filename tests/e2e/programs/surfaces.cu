// A game of life whose two boards are arrays: read and written through surfaces, drawn through a
// texture, copied out in slices.
#include <cuda_runtime.h>

#include <vector>

#include "check.h"

static const int width = 64, height = 48, steps = 16;

__global__ void live(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
    int x = threadIdx.x, y = blockIdx.x, around = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            // Nobody lives outside the board.
            if (dx || dy)
                around += surf2Dread<unsigned char>(from, x + dx, y + dy, cudaBoundaryModeZero);
        }
    unsigned char self = surf2Dread<unsigned char>(from, x, y);
    surf2Dwrite<unsigned char>(around == 3 || (self && around == 2), to, x, y);
}

static void game() {
    std::vector<unsigned char> board(width * height), next(width * height), found(width * height);
    for (int i = 0; i < width * height; i++) board[i] = i * 2654435761u >> 30 == 0;
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<unsigned char>();
    cudaArray_t arrays[2];
    cudaSurfaceObject_t surfaces[2];
    for (int i = 0; i < 2; i++) {
        CHECK(cudaMallocArray(&arrays[i], &channel, width, height, cudaArraySurfaceLoadStore));
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = arrays[i];
        CHECK(cudaCreateSurfaceObject(&surfaces[i], &resource));
    }
    CHECK(cudaMemcpy2DToArray(arrays[0], 0, 0, board.data(), width, width, height,
                              cudaMemcpyHostToDevice));
    for (int step = 0; step < steps; step++) {
        live<<<height, width>>>(surfaces[step % 2], surfaces[1 - step % 2]);
        for (int i = 0; i < width * height; i++) {
            int x = i % width, y = i / width, around = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) {
                    bool inside = x + dx >= 0 && x + dx < width && y + dy >= 0 && y + dy < height;
                    if ((dx || dy) && inside) around += board[i + dy * width + dx];
                }
            next[i] = around == 3 || (board[i] && around == 2);
        }
        board.swap(next);
    }
    CHECK(cudaMemcpy2DFromArray(found.data(), width, arrays[steps % 2], 0, 0, width, height,
                                cudaMemcpyDeviceToHost));
    EXPECT(found == board, "the boards differ after %d steps", steps);
    for (int i = 0; i < 2; i++) {
        CHECK(cudaDestroySurfaceObject(surfaces[i]));
        CHECK(cudaFreeArray(arrays[i]));
    }
}

__global__ void paint(cudaSurfaceObject_t surface, int slice) {
    int x = threadIdx.x, y = blockIdx.x;
    surf3Dwrite(make_float4(x, y, slice, x * y), surface, x * (int)sizeof(float4), y, slice);
}

static void volume() {
    const int size = 16, depth = 3;
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float4>();
    cudaArray_t array;
    CHECK(cudaMalloc3DArray(&array, &channel, make_cudaExtent(size, size, depth),
                            cudaArraySurfaceLoadStore));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    float4* pinned;
    CHECK(cudaMallocHost(&pinned, size * size * depth * sizeof(float4)));
    for (int slice = 0; slice < depth; slice++) paint<<<size, size, 0, stream>>>(surface, slice);
    cudaMemcpy3DParms copy = {};
    copy.srcArray = array;
    copy.dstPtr = make_cudaPitchedPtr(pinned, size * sizeof(float4), size, size);
    copy.extent = make_cudaExtent(size, size, depth);
    copy.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3DAsync(&copy, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < size * size * depth; i++) {
        int x = i % size, y = i / size % size, z = i / size / size;
        float4 found = pinned[i];
        EXPECT(found.x == x && found.y == y && found.z == z && found.w == x * y,
               "voxel %d is %g %g %g %g", i, found.x, found.y, found.z, found.w);
    }
    CHECK(cudaDestroySurfaceObject(surface));
    CHECK(cudaFreeArray(array));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaStreamDestroy(stream));
}

int main() {
    game();
    volume();
    return passed("surfaces of a plane and of a volume");
}
