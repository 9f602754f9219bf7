// A minimal kernel with a visible effect.

extern "C" __global__ void count(unsigned* value) { *value += 1; }
