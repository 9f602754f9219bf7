// Pinned memory that a kernel has used, then nobody for many launches, and then the program or the
// device again: by its own words, by system calls, in a child, by rings of io_uring, by copies, in
// host functions and in graphs. Over a link its pages go away meanwhile (`pinned_untouched absent`
// insists on it), where Linux moves pages (`pinned_untouched can` says whether); nobody is to
// notice. `pinned_untouched across` copies between two devices and memory that the other one uses.
#include <cuda_runtime.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "check.h"

static const size_t BYTES = 1 << 20, WORDS = BYTES / sizeof(int), PAGE_WORDS = 1024;
static const int LOOKS = 100, LOOKS_MAX = 100'000;

static bool insists;
static int *count, *sum;

__global__ void add_one(int* count) { *count += 1; }

__global__ void put(int* words, size_t step, size_t n, int value) {
    for (size_t i = threadIdx.x; i < n; i += blockDim.x) words[i * step] = value + (int)i;
}

__global__ void add_up(const int* words, size_t step, size_t n, int* sum) {
    int found = 0;
    for (size_t i = 0; i < n; i++) found += words[i * step];
    *sum = found;
}

// Whether Linux has no page at this address for the process.
static bool is_absent(const void* address) {
    static int pages = open("/proc/self/pagemap", O_RDONLY);
    uint64_t entry = 0;
    off_t at = (off_t)((uintptr_t)address / 4096 * 8);
    return pages >= 0 && pread(pages, &entry, 8, at) == 8 && entry >> 62 == 0;
}

// Gives the device work and waits for it, again and again, and touches nothing.
static void leave_alone(const int* words) {
    for (int i = 0; insists ? !is_absent(words) : i < LOOKS; i++) {
        EXPECT(i < LOOKS_MAX, "the pages stay after %d looks", i);
        add_one<<<1, 1>>>(count);
        CHECK(cudaDeviceSynchronize());
    }
}

// As many looks again as it takes for pages to go, which are to stay.
static void leave_alone_in_vain(const int* words, const char* why) {
    for (int i = 0; i < 1200; i++) {
        add_one<<<1, 1>>>(count);
        CHECK(cudaDeviceSynchronize());
        EXPECT(!is_absent(words), "%s: the pages went", why);
    }
}

static int added_up(const int* words, size_t step, size_t n) {
    int found;
    add_up<<<1, 1>>>(words, step, n, sum);
    CHECK(cudaMemcpy(&found, sum, sizeof found, cudaMemcpyDeviceToHost));
    return found;
}

static void expect_words(const int* words, size_t step, size_t n, int value, const char* what) {
    for (size_t i = 0; i < n; i++)
        EXPECT(words[i * step] == value + (int)i, "%s: word %zu is %d, not %d", what, i * step,
               words[i * step], value + (int)i);
}

static int of_series(int value, int n) { return n * value + n * (n - 1) / 2; }

static void by_words(int* words) {
    leave_alone(words);
    put<<<1, 256>>>(words, PAGE_WORDS, WORDS / PAGE_WORDS, 7);
    CHECK(cudaDeviceSynchronize());
    expect_words(words, PAGE_WORDS, WORDS / PAGE_WORDS, 7, "what a kernel wrote");
    leave_alone(words);
    for (size_t i = 0; i < 100; i++) words[i * PAGE_WORDS + 3] = 1000 + (int)i;
    int found = added_up(words + 3, PAGE_WORDS, 100);
    EXPECT(found == of_series(1000, 100), "the kernel adds up %d", found);
    expect_words(words, PAGE_WORDS, WORDS / PAGE_WORDS, 7, "what lay beside it");
}

static void by_threads(int* words) {
    leave_alone(words);
    put<<<1, 256>>>(words, 1, WORDS, 11);
    CHECK(cudaDeviceSynchronize());
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (size_t t = 0; t < 4; t++)
        threads.emplace_back([&, t] {
            for (size_t i = t; i < WORDS; i += 4) wrong += words[i] != 11 + (int)i;
        });
    for (auto& thread : threads) thread.join();
    EXPECT(wrong == 0, "%d words were wrong in threads", wrong.load());
}

static void by_system_calls(int* words) {
    char path[] = "/tmp/pinned_untouched.XXXXXX";
    int file = mkstemp(path);
    EXPECT(file >= 0 && unlink(path) == 0, "there is no temporary file");
    put<<<1, 256>>>(words, 1, WORDS, 21);
    leave_alone(words);
    EXPECT(write(file, words, BYTES) == (ssize_t)BYTES, "write: %m");
    std::vector<int> copy(WORDS);
    EXPECT(pread(file, copy.data(), BYTES, 0) == (ssize_t)BYTES, "pread: %m");
    expect_words(copy.data(), 1, WORDS, 21, "what was written to a file");
    for (size_t i = 0; i < WORDS; i++) copy[i] = 31 + (int)i;
    EXPECT(pwrite(file, copy.data(), BYTES, 0) == (ssize_t)BYTES, "pwrite: %m");
    leave_alone(words);
    EXPECT(pread(file, words, BYTES, 0) == (ssize_t)BYTES, "pread: %m");
    int found = added_up(words, 1, 1000);
    EXPECT(found == of_series(31, 1000), "of a file the kernel adds up %d", found);
    close(file);
}

static void by_child(int* words) {
    put<<<1, 256>>>(words, 1, WORDS, 41);
    leave_alone(words);
    pid_t child = fork();
    if (child == 0) {
        for (size_t i = 0; i < WORDS; i++)
            if (words[i] != 41 + (int)i) _exit(1);
        _exit(0);
    }
    int status = -1;
    EXPECT(waitpid(child, &status, 0) == child && status == 0, "the child ended with %x", status);
    words[5] = 0;
    int found = added_up(words, 1, 10);
    EXPECT(found == of_series(41, 10) - 46, "after the child the kernel adds up %d", found);
}

static void by_copies(int* words) {
    int* device;
    CHECK(cudaMalloc(&device, BYTES));
    put<<<1, 256>>>(words, 1, WORDS, 51);
    leave_alone(words);
    CHECK(cudaMemcpy(device, words, BYTES, cudaMemcpyDefault));
    int found = added_up(device, 1, 1000);
    EXPECT(found == of_series(51, 1000), "of a copy the kernel adds up %d", found);
    put<<<1, 256>>>(device, 1, WORDS, 61);
    leave_alone(words);
    CHECK(cudaMemcpyAsync(words, device, BYTES, cudaMemcpyDeviceToHost));
    CHECK(cudaDeviceSynchronize());
    expect_words(words, 1, WORDS, 61, "what was copied there");
    leave_alone(words);
    CHECK(cudaMemcpy(device, words + 16, 64, cudaMemcpyHostToDevice));
    found = added_up(device, 1, 16);
    EXPECT(found == of_series(77, 16), "of a small copy the kernel adds up %d", found);
    CHECK(cudaFree(device));
}

static void by_host_function(int* words) {
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    leave_alone(words);
    put<<<1, 256, 0, stream>>>(words, 1, 1000, 71);
    CHECK(cudaLaunchHostFunc(
        stream,
        [](void* given) {
            int* words = (int*)given;
            for (int i = 0; i < 1000; i++) words[i] += 1;
        },
        words));
    add_up<<<1, 1, 0, stream>>>(words, 1, 1000, sum);
    CHECK(cudaStreamSynchronize(stream));
    int found;
    CHECK(cudaMemcpy(&found, sum, sizeof found, cudaMemcpyDeviceToHost));
    EXPECT(found == of_series(72, 1000), "after a host function the kernel adds up %d", found);
    CHECK(cudaStreamDestroy(stream));
}

static void by_graph(int* words) {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int* device;
    CHECK(cudaMalloc(&device, BYTES));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    leave_alone(words);
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemcpyAsync(device, words, BYTES, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyAsync(words + WORDS / 2, device, BYTES / 2, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < WORDS / 2; i++) words[i] = 100 * round + (int)i;
        leave_alone(words);
        CHECK(cudaGraphLaunch(exec, stream));
        CHECK(cudaStreamSynchronize(stream));
        expect_words(words + WORDS / 2, 1, WORDS / 2, 100 * round, "what a graph copied");
    }
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(device));
}

// A ring with one buffer of fixed memory; -1 where Linux does not permit rings.
static int ring_of(int* words, io_uring_params* parameters) {
    memset(parameters, 0, sizeof *parameters);
    int ring = (int)syscall(SYS_io_uring_setup, 4, parameters);
    iovec memory = {words, BYTES};
    if (ring < 0) return -1;
    if (syscall(SYS_io_uring_register, ring, IORING_REGISTER_BUFFERS, &memory, 1) == 0) return ring;
    close(ring);
    return -1;
}

// Reads from a file into fixed memory, which no page table shows.
static void read_by_ring(int ring, const io_uring_params& parameters, int file, int* words) {
    char* submitted = (char*)mmap(
        nullptr, parameters.sq_off.array + parameters.sq_entries * sizeof(unsigned),
        PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQ_RING);
    auto* entries = (io_uring_sqe*)mmap(nullptr, parameters.sq_entries * sizeof(io_uring_sqe),
                                        PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring,
                                        IORING_OFF_SQES);
    EXPECT(submitted != MAP_FAILED && (void*)entries != MAP_FAILED, "the ring has no memory: %m");
    auto* tail = (std::atomic<unsigned>*)(submitted + parameters.sq_off.tail);
    unsigned mask = *(unsigned*)(submitted + parameters.sq_off.ring_mask), at = *tail & mask;
    memset(&entries[at], 0, sizeof entries[at]);
    entries[at].opcode = IORING_OP_READ_FIXED;
    entries[at].fd = file;
    entries[at].addr = (uint64_t)(uintptr_t)words;
    entries[at].len = BYTES;
    ((unsigned*)(submitted + parameters.sq_off.array))[at] = at;
    *tail += 1;
    long done = syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, nullptr, 0);
    EXPECT(done == 1, "io_uring_enter: %m");
}

static void by_ring(int* words) {
    io_uring_params parameters;
    int ring = ring_of(words, &parameters);
    if (ring < 0) return;
    char path[] = "/tmp/pinned_untouched.XXXXXX";
    int file = mkstemp(path);
    EXPECT(file >= 0 && unlink(path) == 0, "there is no temporary file");
    std::vector<int> given(WORDS);
    for (size_t i = 0; i < WORDS; i++) given[i] = 81 + (int)i;
    EXPECT(write(file, given.data(), BYTES) == (ssize_t)BYTES, "write: %m");
    leave_alone_in_vain(words, "a ring holds them");
    read_by_ring(ring, parameters, file, words);
    int found = added_up(words, 1, 1000);
    EXPECT(found == of_series(81, 1000), "of a ring's memory the kernel adds up %d", found);
    EXPECT(syscall(SYS_io_uring_register, ring, IORING_UNREGISTER_BUFFERS, nullptr, 0) == 0,
           "the ring keeps its memory: %m");
    close(ring);
    close(file);
}

// Parts of the memory get properties of their own while it is left alone.
static void by_parts() {
    int* words;
    CHECK(cudaMallocHost(&words, BYTES));
    memset(words, 0, BYTES);
    put<<<1, 256>>>(words, 1, WORDS, 91);
    leave_alone(words);
    char* middle = (char*)words + BYTES / 2;
    EXPECT(madvise(middle, 65536, MADV_DONTDUMP) == 0, "madvise: %m");
    EXPECT(mprotect(middle + 65536, 65536, PROT_READ) == 0, "mprotect: %m");
    EXPECT(mlock(middle + 131072, 65536) == 0, "mlock: %m");
    expect_words(words, 1, WORDS, 91, "what a kernel wrote before");
    CHECK(cudaFreeHost(words));
}

// Large memory comes back by parts: a touch brings little of it, and who walks through it finds all.
static void by_pieces() {
    const size_t bytes = (9 << 20) + 4096, n = bytes / sizeof(int), part = (2 << 20) / sizeof(int);
    int* words;
    CHECK(cudaMallocHost(&words, bytes));
    memset(words, 0, bytes);
    put<<<1, 256>>>(words, 1, n, 101);
    leave_alone(words);
    leave_alone(words + 4 * part - 1);
    EXPECT(words[part] == 101 + (int)part, "the first touch finds %d", words[part]);
    EXPECT(!insists || is_absent(words + 4 * part - 1), "one touch brought memory that lies far away");
    for (size_t i = n; i-- > 0;)
        EXPECT(words[i] == 101 + (int)i, "backwards: word %zu is %d", i, words[i]);
    leave_alone(words);
    put<<<1, 256>>>(words, 1, n, 201);
    CHECK(cudaDeviceSynchronize());
    expect_words(words, 1, n, 201, "what a kernel wrote into parts that were away");
    leave_alone(words);
    leave_alone(words + 4 * part - 1);
    for (size_t i = 0; i < n; i += part - 1) words[i] = 0;
    expect_words(words + 1, 1, part - 2, 202, "what lay between");
    int found = added_up(words, part - 1, n / (part - 1) + 1);
    EXPECT(found == 0, "of what the program wrote into parts the kernel adds up %d", found);
    leave_alone(words);
    std::vector<int> copy(n);
    memcpy(copy.data(), words, bytes);
    EXPECT(memcmp(copy.data(), words, bytes) == 0, "a copy differs");
    leave_alone(words);
    CHECK(cudaFreeHost(words));
}

__global__ void wait_for(const volatile int* flag, int value) {
    while (*flag != value) {}
}

// What one device copies comes to memory that only the other one's kernels have used. The copies
// are under way while both devices have much else to do, and that memory is left alone.
static void across() {
    const size_t n = 4096;
    struct Side {
        int *words, *flag, *here, *count;
        cudaStream_t copies, others;
    } sides[2];
    for (int d = 0; d < 2; d++) {
        Side& side = sides[d];
        CHECK(cudaSetDevice(d));
        CHECK(cudaMalloc(&side.here, n * sizeof(int)));
        CHECK(cudaMalloc(&side.count, sizeof(int)));
        CHECK(cudaMallocHost(&side.words, BYTES));
        CHECK(cudaMallocHost(&side.flag, sizeof(int)));
        CHECK(cudaStreamCreateWithFlags(&side.copies, cudaStreamNonBlocking));
        CHECK(cudaStreamCreateWithFlags(&side.others, cudaStreamNonBlocking));
        *side.flag = 0;
        memset(side.words, 0, BYTES);
        put<<<1, 256>>>(side.words, 1, n, 1);
        CHECK(cudaDeviceSynchronize());
    }
    for (int round = 1; round <= 3; round++) {
        for (int d = 0; d < 2; d++) {
            CHECK(cudaSetDevice(d));
            put<<<1, 256, 0, sides[d].copies>>>(sides[d].here, 1, n, 100 * round + d);
            wait_for<<<1, 1, 0, sides[d].copies>>>(sides[d].flag, round);
            CHECK(cudaMemcpyAsync(sides[1 - d].words, sides[d].here, n * sizeof(int),
                                  cudaMemcpyDeviceToHost, sides[d].copies));
        }
        for (int i = 0; i < LOOKS; i++) {
            CHECK(cudaSetDevice(i % 2));
            add_one<<<1, 1, 0, sides[i % 2].others>>>(sides[i % 2].count);
            CHECK(cudaStreamSynchronize(sides[i % 2].others));
        }
        for (Side& side : sides) *(volatile int*)side.flag = round;
        for (int d = 0; d < 2; d++) {
            CHECK(cudaSetDevice(d));
            CHECK(cudaStreamSynchronize(sides[d].copies));
            expect_words(sides[1 - d].words, 1, n, 100 * round + d, "what the other device copied");
        }
    }
}

static bool moves_pages() {
    int faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
    uffdio_api api = {UFFD_API, 0, 0};
    bool moves = faults >= 0 && ioctl(faults, UFFDIO_API, &api) == 0 && api.features >> 16 & 1;
    close(faults);
    return moves;
}

int main(int argc, char** argv) {
    insists = argc > 1 && strcmp(argv[1], "absent") == 0;
    if (argc > 1 && strcmp(argv[1], "can") == 0) return moves_pages() ? 0 : 1;
    if (argc > 1 && strcmp(argv[1], "across") == 0) {
        across();
        return passed("pinned memory that the other device's copies write");
    }
    int* words;
    CHECK(cudaMallocHost(&words, BYTES));
    CHECK(cudaMalloc(&count, sizeof *count));
    CHECK(cudaMalloc(&sum, sizeof *sum));
    CHECK(cudaMemset(count, 0, sizeof *count));
    memset(words, 0, BYTES);
    put<<<1, 1>>>(words, 1, 1, 5);
    CHECK(cudaDeviceSynchronize());
    EXPECT(words[0] == 5, "the kernel wrote %d", words[0]);
    by_words(words);
    by_threads(words);
    by_system_calls(words);
    by_child(words);
    by_copies(words);
    by_host_function(words);
    by_graph(words);
    by_ring(words);
    leave_alone(words);
    CHECK(cudaFreeHost(words));
    by_parts();
    by_pieces();
    return passed("pinned memory that nobody touches for long");
}
