// The kernels of `outhaul demo`'s programs.

extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned count) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        c[i] = a[i] + b[i];
}

// Computes c = a * b for square matrices whose side is a multiple of 16. Uses tiles in shared
// memory: each block of 256 threads computes one tile of c.
extern "C" __global__ void multiply(const float* a, const float* b, float* c, unsigned side) {
    __shared__ float left[16][16], right[16][16];
    unsigned x = threadIdx.x % 16, y = threadIdx.x / 16, tiles = side / 16;
    unsigned column = blockIdx.x % tiles * 16 + x, row = blockIdx.x / tiles * 16 + y;
    float sum = 0;
    for (unsigned tile = 0; tile < side; tile += 16) {
        left[y][x] = a[row * side + tile + x];
        right[y][x] = b[(tile + y) * side + column];
        __syncthreads();
        for (unsigned k = 0; k < 16; ++k) sum += left[y][k] * right[k][x];
        __syncthreads();
    }
    c[row * side + column] = sum;
}

// For each point of a grid over [-2.2, 0.8] x [-1.2, 1.2], counts the steps after which z = z * z +
// point leaves the circle of radius 2. Writes `most` if z does not leave the circle.
extern "C" __global__ void mandelbrot(int* steps, unsigned columns, unsigned rows, int most) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= columns * rows) return;
    // Rows equally far above and below the axis are mirror images, to the last bit.
    float px = -2.2f + 3.0f * (i % columns + 0.5f) / columns,
          py = 1.2f * (2 * (int)(i / columns) + 1 - (int)rows) / rows;
    float x = 0, y = 0;
    int count = 0;
    while (count < most && x * x + y * y <= 4) {
        float next = x * x - y * y + px;
        y = 2 * x * y + py;
        x = next;
        ++count;
    }
    steps[i] = count;
}
