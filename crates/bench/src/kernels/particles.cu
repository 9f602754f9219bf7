// Particles with Lennard-Jones forces in a periodic box, in reduced units: velocity Verlet, cells
// and neighbour lists. Atomics fill the cells in any order, so a kernel sorts each cell. Then all
// sums have a fixed order, and the same machine code gives the same bits.

constexpr float CUTOFF = 2.5f;
// The potential at the cutoff. `forces` subtracts it, so that energy is conserved when a pair
// separates.
constexpr float SHIFT = 4.0f * (1.0f / 59604.644775390625f - 1.0f / 244.140625f);
constexpr unsigned BLOCK = 256;

static __device__ float3 apart(float4 a, float4 b, float box) {
    float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return make_float3(x - box * rintf(x / box), y - box * rintf(y / box),
                       z - box * rintf(z / box));
}

extern "C" __global__ void drift(float4* position, float4* velocity, const float4* force,
                                 unsigned count, float step) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float4 x = position[i], v = velocity[i], f = force[i];
    v.x += 0.5f * step * f.x;
    v.y += 0.5f * step * f.y;
    v.z += 0.5f * step * f.z;
    x.x += step * v.x;
    x.y += step * v.y;
    x.z += step * v.z;
    velocity[i] = v;
    position[i] = x;
}

extern "C" __global__ void kick(float4* velocity, const float4* force, unsigned count, float step) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float4 v = velocity[i], f = force[i];
    v.x += 0.5f * step * f.x;
    v.y += 0.5f * step * f.y;
    v.z += 0.5f * step * f.z;
    velocity[i] = v;
}

extern "C" __global__ void bin(float4* position, unsigned count, float box, unsigned side,
                               unsigned* counts, unsigned* members, unsigned capacity) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float4 x = position[i];
    x.x -= box * floorf(x.x / box);
    x.y -= box * floorf(x.y / box);
    x.z -= box * floorf(x.z / box);
    position[i] = x;
    float scale = side / box;
    unsigned cx = min((unsigned)(x.x * scale), side - 1),
             cy = min((unsigned)(x.y * scale), side - 1),
             cz = min((unsigned)(x.z * scale), side - 1);
    unsigned cell = (cz * side + cy) * side + cx;
    unsigned place = atomicAdd(&counts[cell], 1);
    if (place < capacity) members[cell * capacity + place] = i;
}

extern "C" __global__ void order(unsigned cells, const unsigned* counts, unsigned* members,
                                 unsigned capacity) {
    unsigned cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= cells) return;
    unsigned* own = members + cell * capacity;
    unsigned count = min(counts[cell], capacity);
    for (unsigned i = 1; i < count; i++) {
        unsigned member = own[i], place = i;
        for (; place > 0 && own[place - 1] > member; place--) own[place] = own[place - 1];
        own[place] = member;
    }
}

// Lists have limited lengths. `overflow` counts the entries that did not fit in a list or a cell.
extern "C" __global__ void neighbours(const float4* position, unsigned count, float box,
                                      unsigned side, const unsigned* counts,
                                      const unsigned* members, unsigned capacity, float reach,
                                      unsigned* list, unsigned* listed, unsigned longest,
                                      unsigned* overflow) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float4 x = position[i];
    float scale = side / box;
    unsigned cx = min((unsigned)(x.x * scale), side - 1),
             cy = min((unsigned)(x.y * scale), side - 1),
             cz = min((unsigned)(x.z * scale), side - 1);
    unsigned found = 0;
    for (unsigned near = 0; near < 27; near++) {
        unsigned nx = (cx + side + near % 3 - 1) % side, ny = (cy + side + near / 3 % 3 - 1) % side,
                 nz = (cz + side + near / 9 - 1) % side;
        unsigned cell = (nz * side + ny) * side + nx;
        if (counts[cell] > capacity) atomicAdd(overflow, 1);
        unsigned there = min(counts[cell], capacity);
        for (unsigned k = 0; k < there; k++) {
            unsigned j = members[cell * capacity + k];
            float3 d = apart(x, position[j], box);
            if (j == i || d.x * d.x + d.y * d.y + d.z * d.z >= reach * reach) continue;
            if (found < longest) list[found * count + i] = j;
            found++;
        }
    }
    if (found > longest) atomicAdd(overflow, 1);
    listed[i] = min(found, longest);
}

// The fourth component of a force is the particle's half of its pairs' potential.
extern "C" __global__ void forces(const float4* position, unsigned count, float box,
                                  const unsigned* list, const unsigned* listed, float4* force) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float4 x = position[i];
    float4 sum = make_float4(0, 0, 0, 0);
    for (unsigned k = 0; k < listed[i]; k++) {
        float3 d = apart(x, position[list[k * count + i]], box);
        float square = d.x * d.x + d.y * d.y + d.z * d.z;
        if (square >= CUTOFF * CUTOFF) continue;
        float r2 = 1.0f / square, r6 = r2 * r2 * r2;
        float pull = 24.0f * r6 * (2.0f * r6 - 1.0f) * r2;
        sum.x += pull * d.x;
        sum.y += pull * d.y;
        sum.z += pull * d.z;
        sum.w += 0.5f * (4.0f * r6 * (r6 - 1.0f) - SHIFT);
    }
    force[i] = sum;
}

// Sums the potential and kinetic energy of each block's particles. The kernel `total` adds the
// sums.
extern "C" __global__ void energies(const float4* velocity, const float4* force, unsigned count,
                                    double2* shares) {
    __shared__ double2 sums[BLOCK];
    double potential = 0, kinetic = 0;
    for (unsigned i = blockIdx.x * BLOCK + threadIdx.x; i < count; i += gridDim.x * BLOCK) {
        float4 v = velocity[i];
        potential += force[i].w;
        kinetic += 0.5 * (v.x * v.x + v.y * v.y + v.z * v.z);
    }
    sums[threadIdx.x] = make_double2(potential, kinetic);
    __syncthreads();
    for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            sums[threadIdx.x].x += sums[threadIdx.x + half].x;
            sums[threadIdx.x].y += sums[threadIdx.x + half].y;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) shares[blockIdx.x] = sums[0];
}

extern "C" __global__ void total(const double2* shares, unsigned count, double2* energy) {
    if (threadIdx.x != 0) return;
    double2 sum = make_double2(0, 0);
    for (unsigned i = 0; i < count; i++) {
        sum.x += shares[i].x;
        sum.y += shares[i].y;
    }
    *energy = sum;
}
