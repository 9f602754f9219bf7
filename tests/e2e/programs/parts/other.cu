// The other part of main.cu.
__constant__ int offsets[2] = {3, 7};

__device__ int twice(int value) { return 2 * value; }
