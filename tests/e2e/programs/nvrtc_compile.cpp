// CUDA C++ compiled while the program runs, by NVRTC to PTX and by the driver to whatever the
// device needs.
#include <cuda.h>
#include <nvrtc.h>

#include <string>
#include <vector>

#include "check.h"

static const char* const kSource = R"(
template <typename T>
__global__ void saxpy(T a, const T* x, T* y, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = a * x[i] + y[i] + BIAS;
}
)";

#define CHECK_DRIVER(call)                                                         \
    do {                                                                           \
        CUresult check_result = (call);                                            \
        EXPECT(check_result == CUDA_SUCCESS, "%s: error %d", #call, check_result); \
    } while (0)

#define CHECK_NVRTC(call)                                                                          \
    do {                                                                                           \
        nvrtcResult check_result = (call);                                                         \
        EXPECT(check_result == NVRTC_SUCCESS, "%s: %s", #call, nvrtcGetErrorString(check_result)); \
    } while (0)

template <typename T>
static void run(CUmodule module, const char* kernel) {
    const int n = 10'000;
    CUfunction function;
    CHECK_DRIVER(cuModuleGetFunction(&function, module, kernel));
    std::vector<T> x(n), y(n), found(n);
    for (int i = 0; i < n; i++) {
        x[i] = i;
        y[i] = 2 * i;
    }
    CUdeviceptr device_x, device_y;
    CHECK_DRIVER(cuMemAlloc(&device_x, n * sizeof(T)));
    CHECK_DRIVER(cuMemAlloc(&device_y, n * sizeof(T)));
    CHECK_DRIVER(cuMemcpyHtoD(device_x, x.data(), n * sizeof(T)));
    CHECK_DRIVER(cuMemcpyHtoD(device_y, y.data(), n * sizeof(T)));
    T a = 3;
    int count = n;
    void* arguments[] = {&a, &device_x, &device_y, &count};
    CHECK_DRIVER(cuLaunchKernel(function, 8, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr));
    CHECK_DRIVER(cuMemcpyDtoH(found.data(), device_y, n * sizeof(T)));
    for (int i = 0; i < n; i++)
        EXPECT(found[i] == T(5 * i + 4), "%s: element %d is %g, expected %d", kernel, i,
               double(found[i]), 5 * i + 4);
    CHECK_DRIVER(cuMemFree(device_x));
    CHECK_DRIVER(cuMemFree(device_y));
}

int main() {
    nvrtcProgram program;
    CHECK_NVRTC(nvrtcCreateProgram(&program, kSource, "saxpy.cu", 0, nullptr, nullptr));
    const char* instances[] = {"saxpy<float>", "saxpy<double>", "saxpy<int>"};
    for (const char* instance : instances) CHECK_NVRTC(nvrtcAddNameExpression(program, instance));
    const char* options[] = {"--gpu-architecture=compute_75", "-DBIAS=4"};
    if (nvrtcCompileProgram(program, 2, options) != NVRTC_SUCCESS) {
        size_t size = 0;
        nvrtcGetProgramLogSize(program, &size);
        std::string log(size, 0);
        nvrtcGetProgramLog(program, log.data());
        fail(__FILE__, __LINE__, "NVRTC: %s", log.c_str());
    }
    size_t size = 0;
    CHECK_NVRTC(nvrtcGetPTXSize(program, &size));
    std::string ptx(size, 0);
    CHECK_NVRTC(nvrtcGetPTX(program, ptx.data()));

    CUdevice device;
    CUcontext context;
    CUmodule module;
    CHECK_DRIVER(cuInit(0));
    CHECK_DRIVER(cuDeviceGet(&device, 0));
    CHECK_DRIVER(cuDevicePrimaryCtxRetain(&context, device));
    CHECK_DRIVER(cuCtxSetCurrent(context));
    CHECK_DRIVER(cuModuleLoadData(&module, ptx.c_str()));
    const char* name;
    CHECK_NVRTC(nvrtcGetLoweredName(program, instances[0], &name));
    run<float>(module, name);
    CHECK_NVRTC(nvrtcGetLoweredName(program, instances[1], &name));
    run<double>(module, name);
    CHECK_NVRTC(nvrtcGetLoweredName(program, instances[2], &name));
    run<int>(module, name);
    CHECK_DRIVER(cuModuleUnload(module));
    CHECK_DRIVER(cuDevicePrimaryCtxRelease(device));
    CHECK_NVRTC(nvrtcDestroyProgram(&program));
    return passed("NVRTC compiled %zu bytes of PTX; three instances ran", size);
}
