// As much of MPI as NCCL's tests use, for processes of one machine that share a file: so that they
// can be built and run where there is no MPI. Each process has RANK, RANKS (how many there are) and
// RANKS_FILE, a file of zeros as large as `Board`, in its environment; one without them is alone.
// Absent: any communicator but the world, and user types. A process that waits 120 s for the others
// ends.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum MPI_Datatype {
    MPI_DATATYPE_NULL,
    MPI_BYTE,
    MPI_INT,
    MPI_LONG,
    MPI_LONG_LONG,
    MPI_INT64_T,
    MPI_DOUBLE
};
enum MPI_Op { MPI_OP_NULL, MPI_SUM, MPI_MIN, MPI_MAX };
enum MPI_Comm { MPI_COMM_WORLD };
static void* const MPI_IN_PLACE = reinterpret_cast<void*>(-1);

namespace ranks {

constexpr int RANKS_MAX = 16;
constexpr size_t SLOT_BYTES = 256 * 1024;
constexpr int WAIT_SECONDS_MAX = 120;

struct Board {
    std::atomic<int> arrived, round;
    alignas(64) char slots[RANKS_MAX][SLOT_BYTES];
};

inline Board* board;
inline int rank, count;

[[noreturn]] inline void die(const char* what) {
    fprintf(stderr, "mpi.h: rank %d: %s\n", rank, what);
    _exit(70);
}

inline void barrier() {
    const int round = board->round;
    if (board->arrived.fetch_add(1) + 1 == count) {
        board->arrived = 0;
        board->round = round + 1;
        return;
    }
    const time_t start = time(nullptr);
    while (board->round == round) {
        if (time(nullptr) - start > WAIT_SECONDS_MAX) die("the other ranks did not come");
        usleep(10);
    }
}

inline size_t bytes(int items, MPI_Datatype type) {
    const size_t one = type == MPI_BYTE ? 1 : type == MPI_INT ? 4 : 8;
    if (items * one > SLOT_BYTES) die("a message is larger than a slot");
    return items * one;
}

// Lays mine into this rank's slot; what all laid there is read between `publish` and `barrier`.
inline void publish(const void* mine, size_t size) {
    memcpy(board->slots[rank], mine, size);
    barrier();
}

template <typename T>
void reduce(T* data, int items, MPI_Op op) {
    for (int r = 0; r < count; r++) {
        const T* theirs = reinterpret_cast<const T*>(board->slots[r]);
        for (int i = 0; i < items; i++) {
            const T a = data[i], b = theirs[i];
            data[i] = r == 0          ? b
                      : op == MPI_SUM ? a + b
                      : op == MPI_MIN ? (b < a ? b : a)
                                      : (b > a ? b : a);
        }
    }
}

}  // namespace ranks

inline int MPI_Init(int*, char***) {
    const char *rank = getenv("RANK"), *count = getenv("RANKS"), *path = getenv("RANKS_FILE");
    ranks::count = count ? atoi(count) : 1;
    ranks::rank = rank && count ? atoi(rank) : 0;
    if (ranks::count < 1 || ranks::count > ranks::RANKS_MAX) ranks::die("RANKS is out of range");
    if (ranks::rank < 0 || ranks::rank >= ranks::count) ranks::die("RANK is out of range");
    int file = -1, flags = MAP_SHARED | MAP_ANONYMOUS;
    if (ranks::count > 1) {
        file = path ? open(path, O_RDWR) : -1;
        if (file < 0) ranks::die("RANKS_FILE cannot be opened");
        flags = MAP_SHARED;
    }
    void* at = mmap(nullptr, sizeof(ranks::Board), PROT_READ | PROT_WRITE, flags, file, 0);
    if (at == MAP_FAILED) ranks::die("RANKS_FILE cannot be mapped");
    if (file >= 0) close(file);
    ranks::board = static_cast<ranks::Board*>(at);
    return 0;
}

inline int MPI_Barrier(MPI_Comm) {
    ranks::barrier();
    return 0;
}
inline int MPI_Finalize() {
    ranks::barrier();
    return 0;
}
inline int MPI_Comm_size(MPI_Comm, int* size) {
    *size = ranks::count;
    return 0;
}
inline int MPI_Comm_rank(MPI_Comm, int* rank) {
    *rank = ranks::rank;
    return 0;
}
inline int MPI_Comm_split(MPI_Comm world, int, int, MPI_Comm* part) {
    *part = world;
    return 0;
}
inline int MPI_Comm_free(MPI_Comm*) { return 0; }

inline int MPI_Bcast(void* data, int items, MPI_Datatype type, int root, MPI_Comm) {
    const size_t size = ranks::bytes(items, type);
    ranks::publish(data, size);
    memcpy(data, ranks::board->slots[root], size);
    ranks::barrier();
    return 0;
}

inline int MPI_Gather(const void* mine, int items, MPI_Datatype type, void* all, int, MPI_Datatype,
                      int root, MPI_Comm) {
    const size_t size = ranks::bytes(items, type);
    ranks::publish(mine, size);
    for (int r = 0; ranks::rank == root && r < ranks::count; r++)
        memcpy(static_cast<char*>(all) + r * size, ranks::board->slots[r], size);
    ranks::barrier();
    return 0;
}

// In place alone, as NCCL's tests call it.
inline int MPI_Allgather(const void*, int, MPI_Datatype, void* all, int items, MPI_Datatype type,
                         MPI_Comm) {
    const size_t size = ranks::bytes(items, type);
    ranks::publish(static_cast<char*>(all) + ranks::rank * size, size);
    for (int r = 0; r < ranks::count; r++)
        memcpy(static_cast<char*>(all) + r * size, ranks::board->slots[r], size);
    ranks::barrier();
    return 0;
}

// In place alone, as NCCL's tests call it.
inline int MPI_Allreduce(const void*, void* data, int items, MPI_Datatype type, MPI_Op op,
                         MPI_Comm) {
    ranks::publish(data, ranks::bytes(items, type));
    switch (type) {
        case MPI_INT:
            ranks::reduce(static_cast<int*>(data), items, op);
            break;
        case MPI_DOUBLE:
            ranks::reduce(static_cast<double*>(data), items, op);
            break;
        case MPI_DATATYPE_NULL:
        case MPI_BYTE:
            ranks::die("bytes cannot be reduced");
        default:
            ranks::reduce(static_cast<int64_t*>(data), items, op);
    }
    ranks::barrier();
    return 0;
}
