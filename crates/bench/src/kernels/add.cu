// c = a + b, an element for each thread and then every so many further on.

extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned count) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        c[i] = a[i] + b[i];
}
