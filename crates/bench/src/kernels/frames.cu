// Renders a picture of round bumps. Each pixel has the colour of the highest bump there, plus its
// height. All arithmetic uses integers, so that the CPU can check every pixel.

extern "C" __global__ void render(const int4* bumps, unsigned count, unsigned* pixels,
                                  unsigned width, unsigned height) {
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= width * height) return;
    int x = at % width, y = at / width;
    int highest = 0;
    unsigned colour = 0;
    for (unsigned i = 0; i < count; i++) {
        int4 bump = bumps[i];
        int dx = x - bump.x, dy = y - bump.y;
        int height = bump.z - dx * dx - dy * dy;
        if (height > highest) {
            highest = height;
            colour = bump.w;
        }
    }
    pixels[at] = colour + highest;
}
