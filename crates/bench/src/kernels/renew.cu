// Reads and rewrites every word of some pages. Page `i` of a program should have `i * 0x9E3779B9 ^
// before` in every word, and then has `i * 0x9E3779B9 ^ after`. `wrong[0]` counts the groups of
// four with a wrong word. For one such group, `wrong[1]` is the page and `wrong[2]` a wrong word.

extern "C" __global__ void renew(uint4* words, unsigned quads_of_page, unsigned first_page,
                                 unsigned before, unsigned after, unsigned* wrong) {
    const unsigned blocks_of_page = 4, page = blockIdx.x / blocks_of_page;
    const unsigned factor = (first_page + page) * 0x9E3779B9u, old = factor ^ before,
                   fresh = factor ^ after;
    uint4* own = words + (size_t)page * quads_of_page;
    for (unsigned i = blockIdx.x % blocks_of_page * blockDim.x + threadIdx.x; i < quads_of_page;
         i += blocks_of_page * blockDim.x) {
        const uint4 found = own[i];
        own[i] = make_uint4(fresh, fresh, fresh, fresh);
        if (((found.x ^ old) | (found.y ^ old) | (found.z ^ old) | (found.w ^ old)) &&
            atomicAdd(&wrong[0], 1) == 0) {
            wrong[1] = first_page + page;
            wrong[2] = found.x != old   ? found.x
                       : found.y != old ? found.y
                       : found.z != old ? found.z
                                        : found.w;
        }
    }
}
