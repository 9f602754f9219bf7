// Managed memory through the runtime: cudaMallocManaged, __managed__ variables, prefetches and
// advice, structures with pointers in them.
#include <cuda_runtime.h>

#include "check.h"

struct Node {
    int value;
    Node* next;
};

__managed__ int total = 5;
__managed__ double table[1000];
__managed__ Node* head;

__global__ void scale(int* data, int n, int factor) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= factor;
}

__global__ void walk() {
    for (Node* node = head; node; node = node->next) {
        total += node->value;
        node->value = -node->value;
    }
}

__global__ void fill_table(double first) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1000) table[i] = first + i;
}

static cudaMemLocation device_0() {
    cudaMemLocation location = {};
    location.type = cudaMemLocationTypeDevice;
    return location;
}

static void arrays() {
    const int n = 700'000;
    int* data;
    CHECK(cudaMallocManaged(&data, n * sizeof(int)));
    for (int i = 0; i < n; i++) data[i] = i;
    CHECK(cudaMemAdvise(data, n * sizeof(int), cudaMemAdviseSetReadMostly, device_0()));
    int concurrent = 0;
    CHECK(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, 0));
    if (concurrent) CHECK(cudaMemPrefetchAsync(data, n * sizeof(int), device_0(), 0, 0));
    int expected = 1;
    for (int round = 0; round < 3; round++) {
        scale<<<(n + 255) / 256, 256>>>(data, n, 3);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        expected *= 3;
        for (int i = 0; i < n; i++)
            EXPECT(data[i] == i * expected, "round %d: element %d is %d", round, i, data[i]);
    }
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, data + 10));
    EXPECT(attributes.type == cudaMemoryTypeManaged, "managed memory has type %d", attributes.type);
    EXPECT(attributes.devicePointer == data + 10 && attributes.hostPointer == data + 10,
           "managed memory has another address");
    CHECK(cudaMemset(data, 0, n * sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    EXPECT(data[n - 1] == 0, "after cudaMemset the last element is %d", data[n - 1]);
    CHECK(cudaFree(data));
}

// Pointers that the host stores lead the device to other managed memory.
static void list() {
    Node* nodes[100];
    for (int i = 0; i < 100; i++) {
        CHECK(cudaMallocManaged(&nodes[i], sizeof(Node)));
        *nodes[i] = {i, head};
        head = nodes[i];
    }
    EXPECT(total == 5, "the variable begins with %d", total);
    walk<<<1, 1>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    EXPECT(total == 5 + 99 * 100 / 2, "the sum is %d", total);
    for (int i = 0; i < 100; i++)
        EXPECT(nodes[i]->value == -i, "node %d holds %d", i, nodes[i]->value);
    for (Node* node : nodes) CHECK(cudaFree(node));
}

static void variables() {
    fill_table<<<4, 256>>>(0.5);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    EXPECT(table[0] == 0.5 && table[999] == 999.5, "the table holds %g to %g", table[0],
           table[999]);
    table[3] = -1;
    double copied[4];
    CHECK(cudaMemcpyFromSymbol(copied, table, sizeof copied));
    EXPECT(copied[2] == 2.5 && copied[3] == -1, "copied from the symbol: %g, %g", copied[2],
           copied[3]);
}

int main() {
    int managed = 0;
    CHECK(cudaDeviceGetAttribute(&managed, cudaDevAttrManagedMemory, 0));
    if (!managed) return passed("the device says that it has no managed memory: nothing to do");
    arrays();
    list();
    variables();
    return passed(
        "host and device took turns with arrays, a list of 100 nodes and three variables");
}
