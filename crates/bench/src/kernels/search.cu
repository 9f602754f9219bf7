// Smith-Waterman with affine gaps, one thread per sequence of the database. Sequences are in groups
// of 32 with one padded length, interleaved by residue, so that a warp reads 32 consecutive bytes.
// The query is processed in tiles that fit in registers. Between tiles, `boundary` holds a row of
// scores and open gaps.

constexpr int TILE = 8;
constexpr int ALPHABET = 32;
constexpr int GAP_OPEN = 12;
constexpr int GAP_EXTEND = 2;
constexpr int NEVER = -10000;

extern "C" __global__ void search(const unsigned char* residues, const unsigned* offsets,
                                  const unsigned* lengths, unsigned sequences,
                                  const unsigned char* query, unsigned tiles,
                                  const signed char* matrix, short2* boundary, int* scores) {
    __shared__ signed char scored[ALPHABET * ALPHABET];
    for (int i = threadIdx.x; i < ALPHABET * ALPHABET; i += blockDim.x) scored[i] = matrix[i];
    __syncthreads();
    unsigned sequence = blockIdx.x * blockDim.x + threadIdx.x;
    if (sequence >= sequences) return;
    unsigned first = offsets[sequence / 32] + sequence % 32;
    unsigned length = lengths[sequence / 32];
    int best = 0;
    for (unsigned tile = 0; tile < tiles; tile++) {
        int h[TILE], e[TILE], row[TILE];
#pragma unroll
        for (int j = 0; j < TILE; j++) {
            h[j] = 0;
            e[j] = NEVER;
            row[j] = query[tile * TILE + j] * ALPHABET;
        }
        int above_before = 0;
        for (unsigned i = 0; i < length; i++) {
            unsigned at = first + i * 32;
            int residue = residues[at];
            short2 edge = tile == 0 ? make_short2(0, NEVER) : boundary[at];
            int diagonal = above_before, above = edge.x, f = edge.y;
            above_before = above;
#pragma unroll
            for (int j = 0; j < TILE; j++) {
                e[j] = max(h[j] - GAP_OPEN, e[j] - GAP_EXTEND);
                f = max(above - GAP_OPEN, f - GAP_EXTEND);
                int score = max(max(e[j], f), max(diagonal + scored[row[j] + residue], 0));
                diagonal = h[j];
                h[j] = score;
                above = score;
                best = max(best, score);
            }
            boundary[at] = make_short2(above, f);
        }
    }
    scores[sequence] = best;
}
