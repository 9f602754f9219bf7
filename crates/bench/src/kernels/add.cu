// Computes c = a + b. Each thread adds one element, then further ones at the stride of the grid.

extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned count) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        c[i] = a[i] + b[i];
}
