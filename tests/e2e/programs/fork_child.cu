// fork: a child made before the first CUDA call may use CUDA; one made later gets an error; the
// parent never notices.
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

__global__ void increment(int* data) { *data += 1; }

static int use_device(int* device) {
    int value = 0;
    increment<<<1, 1>>>(device);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

static int* counter() {
    int* device;
    CHECK(cudaMalloc(&device, sizeof(int)));
    CHECK(cudaMemset(device, 0, sizeof(int)));
    return device;
}

// Runs body in a child and gives back how it ended.
template <typename Body>
static int in_child(Body body) {
    std::fflush(nullptr);
    pid_t child = fork();
    EXPECT(child >= 0, "cannot fork");
    if (child == 0) {
        alarm(20);
        body();
        _exit(99);
    }
    int status = 0;
    EXPECT(waitpid(child, &status, 0) == child, "cannot wait for the child");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main() {
    int status = in_child([] { _exit(use_device(counter()) == 1 ? 0 : 1); });
    EXPECT(status == 0, "a child made before the first CUDA call ended with %d", status);

    int* device = counter();
    EXPECT(use_device(device) == 1, "the parent cannot use the device");

    status = in_child([&] {
        int* other;
        int value;
        bool failed =
            cudaMalloc(&other, 16) != cudaSuccess &&
            cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost) != cudaSuccess &&
            cudaDeviceSetLimit(cudaLimitStackSize, 2048) != cudaSuccess &&
            cudaDeviceSynchronize() != cudaSuccess;
        _exit(failed ? 0 : 1);
    });
    EXPECT(status == 0, "a child made after the first CUDA call ended with %d", status);
    EXPECT(use_device(device) == 2, "the parent's state changed when its child called CUDA");

    // A child that touches nothing and leaves without cleaning up, and one that runs another
    // program.
    EXPECT(in_child([] { _exit(7); }) == 7, "a child that leaves at once");
    status = in_child([] { execlp("true", "true", static_cast<char*>(nullptr)); });
    EXPECT(status == 0, "a child that runs another program ended with %d", status);
    EXPECT(use_device(device) == 3, "the parent's state changed when its child ended");
    CHECK(cudaFree(device));
    return passed("four children; the parent's context stayed whole");
}
