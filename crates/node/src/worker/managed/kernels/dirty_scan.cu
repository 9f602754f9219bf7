// Finds pages of managed memory that have changed since the last call. Each warp reads one page at
// a time and keeps a 128-bit digest of the page. A page of zeros has the digest 0. On request, the
// warp also writes the page to pinned memory, so that no copy need follow.

constexpr unsigned kPageWords = 512, kLanes = 32, kRows = 96;
constexpr unsigned long long kFirst = 0x9e3779b97f4a7c15ull, kSecond = 0xc2b2ae3d27d4eb4full;
constexpr unsigned long long kThird = 0xff51afd7ed558ccdull, kFourth = 0xc4ceb9fe1a85ec53ull;

// Adjacent pages.
struct Row {
    const ulonglong2* memory;
    ulonglong2* digests;
    // Destination for the changed pages, or for all pages; null to write none.
    ulonglong2* brought;
    unsigned long long brings_all;
    // Index of the row's first page among the pages of all rows.
    unsigned long long first;
};

// As large as a kernel's parameters may be.
struct Rows {
    Row row[kRows];
};

// Mixes all bits. Zero remains zero.
__device__ unsigned long long stir(unsigned long long value, unsigned long long factor) {
    value *= factor;
    value ^= value >> 31;
    value *= kThird;
    return value ^ value >> 29;
}

__device__ unsigned long long add_up(unsigned long long value) {
    for (unsigned step = kLanes / 2; step > 0; step /= 2)
        value += __shfl_xor_sync(~0u, value, step);
    return value;
}

// changed: one byte per page in pinned memory, 0 before the call, and 1 after it if the page has
// changed. `worker/managed/page_hash.rs` computes the same digest.
extern "C" __global__ void outhaul_dirty_scan(const Rows rows, unsigned count,
                                              unsigned long long pages, unsigned char* changed) {
    const unsigned lane = threadIdx.x % kLanes, warps = gridDim.x * (blockDim.x / kLanes);
    unsigned long long page = blockIdx.x * (blockDim.x / kLanes) + threadIdx.x / kLanes;
    for (; page < pages; page += warps) {
        unsigned low = 0, high = count;
        while (high - low > 1) {
            unsigned middle = (low + high) / 2;
            if (rows.row[middle].first <= page)
                low = middle;
            else
                high = middle;
        }
        const unsigned long long here = page - rows.row[low].first;
        ulonglong2* const digest = rows.row[low].digests + here;
        const ulonglong2* words = rows.row[low].memory + here * (kPageWords / 2) + lane;
        ulonglong2 known = make_ulonglong2(0, 0), part[8];
        if (lane == 0) known = *digest;
#pragma unroll
        for (int i = 0; i < 8; i++) part[i] = words[i * kLanes];
        unsigned long long one = 0, other = 0;
#pragma unroll
        for (int i = 0; i < 8; i++) {
            one = (one ^ part[i].x) * kFirst;
            one ^= one >> 29;
            other = other * kSecond + one;
            one = (one ^ part[i].y) * kFirst;
            one ^= one >> 29;
            other = other * kSecond + one;
        }
        // The factors differ by lane, so that the same data at another position in the page changes
        // the digest.
        one = add_up(stir(one, kFourth + 2 * kFirst * lane));
        other = add_up(stir(other, kSecond + 2 * kFourth * lane));
        unsigned differs = known.x != one || known.y != other;
        differs = __shfl_sync(~0u, differs, 0);
        ulonglong2* const brought = rows.row[low].brought;
        if (brought && (differs || rows.row[low].brings_all)) {
#pragma unroll
            for (int i = 0; i < 8; i++)
                brought[here * (kPageWords / 2) + lane + i * kLanes] = part[i];
        }
        if (lane > 0 || !differs) continue;
        *digest = make_ulonglong2(one, other);
        changed[page] = 1;
    }
}
