// A program of the driver API alone: PTX text loaded and linked at run time, launched with both
// kinds of arguments.
#include <cuda.h>

#include <cstring>
#include <string>
#include <vector>

#include "check.h"

#define CHECK_DRIVER(call)                                                                \
    do {                                                                                  \
        CUresult check_result = (call);                                                   \
        const char* check_name = nullptr;                                                 \
        if (check_result != CUDA_SUCCESS) {                                               \
            cuGetErrorName(check_result, &check_name);                                    \
            fail(__FILE__, __LINE__, "%s: %s (%d)", #call, check_name ? check_name : "?", \
                 check_result);                                                           \
        }                                                                                 \
    } while (0)

#define EXPECT_RESULT(call, expected)                                                       \
    do {                                                                                    \
        CUresult check_result = (call);                                                     \
        EXPECT(check_result == (expected), "%s: %d, expected %s (%d)", #call, check_result, \
               #expected, expected);                                                        \
    } while (0)

// out[i] = in[i] * factor + bias[0], for i below count. The parameters have gaps between them on
// purpose.
static const char* const kAffine = R"(
.version 6.3
.target sm_75
.address_size 64

.visible .const .align 4 .u32 factor = 3;
.visible .global .align 8 .u32 bias[2] = {10, 20};

.visible .entry affine(
    .param .u64 in, .param .u8 unused, .param .u64 out, .param .u16 also_unused, .param .u32 count)
{
    .reg .pred %p;
    .reg .b32 %r<8>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd0, [in];
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r0, [count];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r1, %r1, %r2, %r3;
    setp.ge.u32 %p, %r1, %r0;
    @%p bra done;
    cvta.to.global.u64 %rd0, %rd0;
    cvta.to.global.u64 %rd1, %rd1;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd0, %rd0, %rd2;
    add.u64 %rd1, %rd1, %rd2;
    ld.global.u32 %r4, [%rd0];
    ld.const.u32 %r5, [factor];
    ld.global.u32 %r6, [bias];
    mad.lo.u32 %r4, %r4, %r5, %r6;
    st.global.u32 [%rd1], %r4;
done:
    ret;
}
)";

// Two parts that only link together make a kernel.
static const char* const kCaller = R"(
.version 6.3
.target sm_75
.address_size 64
.extern .func (.param .b32 result) twice (.param .b32 value);
.visible .entry apply(.param .u64 data)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd0, [data];
    cvta.to.global.u64 %rd0, %rd0;
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %rd1, %r0, 4;
    add.u64 %rd0, %rd0, %rd1;
    ld.global.u32 %r1, [%rd0];
    {
        .param .b32 value;
        .param .b32 result;
        st.param.b32 [value], %r1;
        call.uni (result), twice, (value);
        ld.param.b32 %r2, [result];
    }
    st.global.u32 [%rd0], %r2;
    ret;
}
)";

static const char* const kCallee = R"(
.version 6.3
.target sm_75
.address_size 64
.visible .func (.param .b32 result) twice (.param .b32 value)
{
    .reg .b32 %r<2>;
    ld.param.b32 %r0, [value];
    add.u32 %r1, %r0, %r0;
    st.param.b32 [result], %r1;
    ret;
}
)";

static const int kCount = 1000;

static void check_affine(CUdeviceptr output, unsigned int factor, unsigned int bias,
                         const char* what) {
    std::vector<unsigned int> found(kCount);
    CHECK_DRIVER(cuMemcpyDtoH(found.data(), output, kCount * 4));
    for (unsigned int i = 0; i < kCount; i++)
        EXPECT(found[i] == i * factor + bias, "%s: element %u is %u, expected %u", what, i,
               found[i], i * factor + bias);
    // Of the default stream and free to return early: what follows on a non-blocking stream would
    // not wait for it.
    CHECK_DRIVER(cuMemsetD32(output, 0xdeadbeef, kCount));
    CHECK_DRIVER(cuStreamSynchronize(nullptr));
}

static void launches() {
    CUmodule module;
    CUfunction function;
    char log[4096] = "";
    CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
    CHECK_DRIVER(cuModuleLoadDataEx(&module, kAffine, 2, options, values));
    CHECK_DRIVER(cuModuleGetFunction(&function, module, "affine"));
    EXPECT_RESULT(cuModuleGetFunction(&function, module, "no_such_kernel"), CUDA_ERROR_NOT_FOUND);
    CHECK_DRIVER(cuModuleGetFunction(&function, module, "affine"));

    std::vector<unsigned int> host(kCount);
    for (int i = 0; i < kCount; i++) host[i] = i;
    CUdeviceptr input, output;
    CHECK_DRIVER(cuMemAlloc(&input, kCount * 4));
    CHECK_DRIVER(cuMemAlloc(&output, kCount * 4));
    CHECK_DRIVER(cuMemcpyHtoD(input, host.data(), kCount * 4));

    unsigned char byte = 1;
    unsigned short half = 2;
    unsigned int count = kCount;
    void* arguments[] = {&input, &byte, &output, &half, &count};
    CHECK_DRIVER(cuLaunchKernel(function, (kCount + 63) / 64, 1, 1, 64, 1, 1, 0, nullptr, arguments,
                                nullptr));
    check_affine(output, 3, 10, "kernelParams");

    struct {
        CUdeviceptr input;
        unsigned char byte;
        CUdeviceptr output;
        unsigned short half;
        unsigned int count;
    } packed = {input, 1, output, 2, kCount};
    size_t size = sizeof packed;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    CUstream stream;
    CHECK_DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK_DRIVER(
        cuLaunchKernel(function, (kCount + 63) / 64, 1, 1, 64, 1, 1, 0, stream, nullptr, extra));
    CHECK_DRIVER(cuStreamSynchronize(stream));
    check_affine(output, 3, 10, "extra");

    CUlaunchConfig config = {};
    config.gridDimX = (kCount + 63) / 64;
    config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
    config.blockDimX = 64;
    config.hStream = stream;
    CHECK_DRIVER(cuLaunchKernelEx(&config, function, arguments, nullptr));
    CHECK_DRIVER(cuStreamSynchronize(stream));
    check_affine(output, 3, 10, "cuLaunchKernelEx");

    CUdeviceptr address;
    size_t bytes;
    unsigned int value = 5;
    CHECK_DRIVER(cuModuleGetGlobal(&address, &bytes, module, "factor"));
    EXPECT(bytes == 4, "factor has %zu bytes", bytes);
    CHECK_DRIVER(cuMemcpyHtoD(address, &value, 4));
    CHECK_DRIVER(cuModuleGetGlobal(&address, &bytes, module, "bias"));
    EXPECT(bytes == 8, "bias has %zu bytes", bytes);
    CHECK_DRIVER(cuMemcpyDtoD(address, address + 4, 4));
    CHECK_DRIVER(cuLaunchKernel(function, (kCount + 63) / 64, 1, 1, 64, 1, 1, 0, nullptr, arguments,
                                nullptr));
    check_affine(output, 5, 20, "changed globals");

    int threads = 0;
    CHECK_DRIVER(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
    EXPECT(threads > 0 && threads <= 1024, "%d threads per block", threads);
    EXPECT_RESULT(cuLaunchKernel(function, 1, 1, 1, 2048, 1, 1, 0, nullptr, arguments, nullptr),
                  CUDA_ERROR_INVALID_VALUE);

    CHECK_DRIVER(cuStreamDestroy(stream));
    CHECK_DRIVER(cuMemFree(input));
    CHECK_DRIVER(cuMemFree(output));
    CHECK_DRIVER(cuModuleUnload(module));
}

static void linking() {
    CUlinkState state;
    void* cubin;
    size_t size;
    char errors[4096] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {errors, reinterpret_cast<void*>(sizeof errors)};
    CHECK_DRIVER(cuLinkCreate(2, options, values, &state));
    CHECK_DRIVER(cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(kCaller),
                               std::strlen(kCaller) + 1, "caller.ptx", 0, nullptr, nullptr));
    CHECK_DRIVER(cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(kCallee),
                               std::strlen(kCallee) + 1, "callee.ptx", 0, nullptr, nullptr));
    CHECK_DRIVER(cuLinkComplete(state, &cubin, &size));
    EXPECT(cubin != nullptr && size > 0, "the linker made nothing: %s", errors);
    CUmodule module;
    CUfunction function;
    CHECK_DRIVER(cuModuleLoadData(&module, cubin));
    CHECK_DRIVER(cuLinkDestroy(state));
    CHECK_DRIVER(cuModuleGetFunction(&function, module, "apply"));

    CUdeviceptr data;
    unsigned int found[32];
    CHECK_DRIVER(cuMemAlloc(&data, sizeof found));
    CHECK_DRIVER(cuMemsetD32(data, 21, 32));
    void* arguments[] = {&data};
    CHECK_DRIVER(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
    CHECK_DRIVER(cuMemcpyDtoH(found, data, sizeof found));
    for (unsigned int value : found) EXPECT(value == 42, "linked: %u, expected 42", value);
    CHECK_DRIVER(cuMemFree(data));
    CHECK_DRIVER(cuModuleUnload(module));
}

static void refusals(CUcontext context) {
    CUmodule module;
    std::string broken = kAffine;
    broken.replace(broken.find("mul.wide.u32"), 12, "mul.long.u32");
    EXPECT_RESULT(cuModuleLoadData(&module, broken.c_str()), CUDA_ERROR_INVALID_PTX);
    CUdeviceptr pointer;
    EXPECT_RESULT(cuMemAlloc(&pointer, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_RESULT(cuMemFree(0x1234), CUDA_ERROR_INVALID_VALUE);
    CUdevice device;
    EXPECT_RESULT(cuDeviceGet(&device, 1000), CUDA_ERROR_INVALID_DEVICE);

    CUcontext popped;
    CHECK_DRIVER(cuCtxPopCurrent(&popped));
    EXPECT(popped == context, "another context was current");
    EXPECT_RESULT(cuMemAlloc(&pointer, 16), CUDA_ERROR_INVALID_CONTEXT);
    CHECK_DRIVER(cuCtxPushCurrent(context));
}

int main() {
    CUdevice device;
    EXPECT_RESULT(cuDeviceGet(&device, 0), CUDA_ERROR_NOT_INITIALIZED);
    CHECK_DRIVER(cuInit(0));
    int version = 0;
    CHECK_DRIVER(cuDriverGetVersion(&version));
    EXPECT(version >= 12000, "driver version %d", version);
    char name[100] = "";
    CHECK_DRIVER(cuDeviceGet(&device, 0));
    CHECK_DRIVER(cuDeviceGetName(name, sizeof name, device));

    CUcontext context, current;
    CHECK_DRIVER(cuCtxCreate(&context, nullptr, CU_CTX_SCHED_AUTO, device));
    CHECK_DRIVER(cuCtxGetCurrent(&current));
    EXPECT(current == context, "the new context is not current");
    launches();
    linking();
    refusals(context);
    CHECK_DRIVER(cuCtxSynchronize());
    CHECK_DRIVER(cuCtxDestroy(context));

    CHECK_DRIVER(cuDevicePrimaryCtxRetain(&context, device));
    CHECK_DRIVER(cuCtxSetCurrent(context));
    launches();
    CHECK_DRIVER(cuCtxSetCurrent(nullptr));
    CHECK_DRIVER(cuDevicePrimaryCtxRelease(device));
    return passed("driver API on %s: modules, launches, the linker, refusals", name);
}
