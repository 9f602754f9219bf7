// Shares a number in device memory between programs of one node, by key. It calls Outhaul's own
// functions, which its libcuda.so.1 has in addition to the driver API.
//
//   cc shared_memory.c -o shared_memory -I PREFIX/include -I CUDA/include
//      -L PREFIX/lib/outhaul/client -lcuda
//   outhaul run --node gpu7 --tenant research -- ./shared_memory put 7 42
//   outhaul run --node gpu7 --tenant research -- ./shared_memory get 7
//   outhaul run --node gpu7 --tenant research -- ./shared_memory remove 7
//
// `allow` lets other tenants read. `hold` keeps the memory attached until standard input ends, and
// then reads it.
#include <cuda.h>
#include <outhaul.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(const char* what, CUresult result) {
    if (result == CUDA_SUCCESS) return;
    const char* name = "an error without a name";
    cuGetErrorName(result, &name);
    fprintf(stderr, "%s: %s\n", what, name);
    exit(1);
}

static CUdeviceptr attach(int id, unsigned int flags) {
    CUdeviceptr address;
    check("attach", outhaulShmAttach(&address, id, flags));
    return address;
}

static int read_number(CUdeviceptr address) {
    int number;
    check("copy", cuMemcpyDtoH(&number, address, sizeof number));
    return number;
}

int main(int count, char** words) {
    if (count < 3) {
        fprintf(stderr, "shared_memory put|get|hold|allow|stat|remove KEY [NUMBER]\n");
        return 2;
    }
    const char* what = words[1];
    int key = atoi(words[2]);
    CUdevice device;
    CUcontext context;
    check("init", cuInit(0));
    check("device", cuDeviceGet(&device, 0));
    check("context", cuDevicePrimaryCtxRetain(&context, device));
    check("context", cuCtxSetCurrent(context));

    int id;
    int puts_number = strcmp(what, "put") == 0 && count > 3;
    unsigned int rights = OUTHAUL_SHM_OWN_READ | OUTHAUL_SHM_OWN_WRITE;
    check("get",
          outhaulShmGet(&id, key, sizeof(int), puts_number ? OUTHAUL_SHM_CREATE | rights : 0));
    if (puts_number) {
        int number = atoi(words[3]);
        CUdeviceptr address = attach(id, 0);
        check("copy", cuMemcpyHtoD(address, &number, sizeof number));
        check("detach", outhaulShmDetach(address));
    } else if (strcmp(what, "get") == 0) {
        printf("%d\n", read_number(attach(id, OUTHAUL_SHM_READ_ONLY)));
    } else if (strcmp(what, "hold") == 0) {
        CUdeviceptr address = attach(id, 0);
        puts("attached");
        fflush(stdout);
        while (getchar() != EOF) {
        }
        printf("%d\n", read_number(address));
    } else if (strcmp(what, "allow") == 0) {
        rights |= OUTHAUL_SHM_OTHERS_READ;
        check("control", outhaulShmControl(id, OUTHAUL_SHM_SET, &rights));
    } else if (strcmp(what, "stat") == 0) {
        outhaulShmStatus status;
        check("control", outhaulShmControl(id, OUTHAUL_SHM_STAT, &status));
        printf("key %d, rights %04o, attached %u\n", status.key, status.rights, status.attached);
    } else if (strcmp(what, "remove") == 0) {
        check("control", outhaulShmControl(id, OUTHAUL_SHM_REMOVE, NULL));
    } else {
        fprintf(stderr, "shared_memory cannot %s\n", what);
        return 2;
    }
    return 0;
}
