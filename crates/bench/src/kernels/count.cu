// The least that a kernel can do and be seen to have done.

extern "C" __global__ void count(unsigned* value) { *value += 1; }
