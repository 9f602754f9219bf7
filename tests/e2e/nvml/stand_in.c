// A libnvidia-ml.so.1 for a node without one: it knows the software GPU by its UUID, and answers
// with numbers that nvml.py knows. DRIVER_VERSION is the driver's version as a string. The processes
// with a context are those of STAND_IN_PIDS, with 3 GiB each; the first one also draws.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    SUCCESS = 0,
    INVALID_ARGUMENT = 2,
    NOT_FOUND = 6,
    INSUFFICIENT_SIZE = 7,
    ARGUMENT_VERSION_MISMATCH = 25
};

#define UUID "GPU-6f757468-6175-4c2d-b36f-667467707500"

typedef struct {
    unsigned gpu, memory;
} utilization_t;
typedef struct {
    uint64_t total, free, used;
} memory_t;
typedef struct {
    char legacy[16];
    unsigned domain, bus, device, id, subsystem;
    char bus_id[32];
} pci_t;
typedef struct {
    unsigned id, scope;
    int64_t timestamp, latency;
    unsigned type;
    int status;
    uint64_t value;
} field_t;

typedef struct {
    unsigned version;
    uint64_t value;
} pdi_t;
typedef struct {
    unsigned pid;
    uint64_t bytes;
    unsigned instance, part;
} process_t;

static int the_device;

int nvmlInit_v2(void) { return SUCCESS; }

int nvmlSystemGetDriverVersion(char* version, unsigned length) {
    strncpy(version, DRIVER_VERSION, length);
    return SUCCESS;
}

int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
    if (strcmp(uuid, UUID) != 0) return NOT_FOUND;
    *device = &the_device;
    return SUCCESS;
}

int nvmlDeviceGetCount_v2(unsigned* count) {
    *count = 1;
    return SUCCESS;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
    if (index != 0) return INVALID_ARGUMENT;
    *device = &the_device;
    return SUCCESS;
}

int nvmlDeviceGetUUID(void* device, char* uuid, unsigned length) {
    if (device != &the_device || length < sizeof UUID) return INVALID_ARGUMENT;
    strcpy(uuid, UUID);
    return SUCCESS;
}

static int processes(unsigned max, unsigned* count, process_t* infos) {
    const char* text = getenv("STAND_IN_PIDS");
    unsigned found = 0;
    for (char* end; text != NULL && *text != 0 && found < max; text = end + (*end == ',')) {
        if (found == *count) return INSUFFICIENT_SIZE;
        infos[found++] = (process_t){.pid = strtoul(text, &end, 10), .bytes = 3ull << 30};
    }
    *count = found;
    return SUCCESS;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count, process_t* infos) {
    return device == &the_device ? processes(~0u, count, infos) : INVALID_ARGUMENT;
}

int nvmlDeviceGetGraphicsRunningProcesses_v3(void* device, unsigned* count, process_t* infos) {
    return device == &the_device ? processes(1, count, infos) : INVALID_ARGUMENT;
}

int nvmlDeviceGetUtilizationRates(void* device, utilization_t* rates) {
    if (device != &the_device) return INVALID_ARGUMENT;
    *rates = (utilization_t){37, 12};
    return SUCCESS;
}

int nvmlDeviceGetTemperature(void* device, unsigned sensor, unsigned* degrees) {
    if (device != &the_device || sensor != 0) return INVALID_ARGUMENT;
    *degrees = 61;
    return SUCCESS;
}

int nvmlDeviceGetSerial(void* device, char* serial, unsigned length) {
    if (device != &the_device) return INVALID_ARGUMENT;
    strncpy(serial, "0123456789", length);
    return SUCCESS;
}

int nvmlDeviceGetTotalEnergyConsumption(void* device, uint64_t* millijoules) {
    if (device != &the_device) return INVALID_ARGUMENT;
    *millijoules = 1ull << 40;
    return SUCCESS;
}

int nvmlDeviceGetMemoryInfo(void* device, memory_t* memory) {
    if (device != &the_device) return INVALID_ARGUMENT;
    *memory = (memory_t){.total = 8ull << 30, .free = 1ull << 30, .used = 7ull << 30};
    return SUCCESS;
}

int nvmlDeviceGetPciInfo_v3(void* device, pci_t* pci) {
    if (device != &the_device) return INVALID_ARGUMENT;
    memset(pci, 0, sizeof *pci);
    pci->id = 0x233510DE;
    pci->subsystem = 0x18BE10DE;
    return SUCCESS;
}

int nvmlDeviceGetPdi(void* device, pdi_t* pdi) {
    if (device != &the_device) return INVALID_ARGUMENT;
    if (pdi->version != (sizeof *pdi | 1 << 24)) return ARGUMENT_VERSION_MISMATCH;
    pdi->value = 0xE061192281FD7F55;
    return SUCCESS;
}

int nvmlDeviceGetFieldValues(void* device, int count, field_t* fields) {
    if (device != &the_device) return INVALID_ARGUMENT;
    for (int i = 0; i < count; i++) {
        fields[i].status = SUCCESS;
        fields[i].value = 1000 + fields[i].id;
    }
    return SUCCESS;
}
