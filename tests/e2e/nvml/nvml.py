"""Calls NVML and the driver in one process through their C ABI, and checks that both say the same
about devices. Prints one line if all checks pass.

    nvml.py identity    properties known without the node's own NVML
    nvml.py sensors     the answers of stand_in.c in place of the node's NVML
    nvml.py table       functions that nvidia-smi takes from an undocumented table, on a node whose
                        driver is of the branch for which the table is known
    nvml.py visible     CUDA_VISIBLE_DEVICES on a node with three devices
    nvml.py nodes       two nodes with a device each, the second chosen by CUDA_VISIBLE_DEVICES
"""

import ctypes
import glob
import os
import sys
from ctypes import (
    POINTER,
    byref,
    c_char,
    c_char_p,
    c_int,
    c_int64,
    c_size_t,
    c_uint,
    c_uint64,
    c_void_p,
)

nvml = ctypes.CDLL("libnvidia-ml.so.1")
cuda = ctypes.CDLL("libcuda.so.1")

(
    SUCCESS,
    UNINITIALIZED,
    INVALID_ARGUMENT,
    NOT_SUPPORTED,
    NOT_FOUND,
    INSUFFICIENT_SIZE,
    VERSION_MISMATCH,
) = 0, 1, 2, 3, 6, 7, 25
CUDA_NOT_INITIALIZED, CUDA_NO_DEVICE = 3, 100
MIB = 1 << 20


class Memory(ctypes.Structure):
    _fields_ = [("total", c_uint64), ("free", c_uint64), ("used", c_uint64)]


class MemoryV2(ctypes.Structure):
    _fields_ = [
        ("version", c_uint),
        ("total", c_uint64),
        ("reserved", c_uint64),
        ("free", c_uint64),
        ("used", c_uint64),
    ]


class Process(ctypes.Structure):
    _fields_ = [
        ("pid", c_uint),
        ("used", c_uint64),
        ("gpu_instance", c_uint),
        ("compute_instance", c_uint),
    ]


class Pci(ctypes.Structure):
    _fields_ = [
        ("legacy", c_char * 16),
        ("domain", c_uint),
        ("bus", c_uint),
        ("device", c_uint),
        ("id", c_uint),
        ("subsystem", c_uint),
        ("bus_id", c_char * 32),
    ]


class Utilization(ctypes.Structure):
    _fields_ = [("gpu", c_uint), ("memory", c_uint)]


class Field(ctypes.Structure):
    _fields_ = [
        ("id", c_uint),
        ("scope", c_uint),
        ("timestamp", c_int64),
        ("latency", c_int64),
        ("type", c_uint),
        ("status", c_int),
        ("value", c_uint64),
    ]


class Pdi(ctypes.Structure):
    _fields_ = [("version", c_uint), ("value", c_uint64)]


MEMORY_V2 = ctypes.sizeof(MemoryV2) | 2 << 24
PDI_V1 = ctypes.sizeof(Pdi) | 1 << 24
TABLE_ID = bytes.fromhex("c4fe3e6cc98f6c4ea327ee696e12f7c4")


def same(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: {found!r} instead of {wanted!r}")


def call(name, *arguments, gives=SUCCESS):
    same(name, getattr(nvml, name)(*arguments), gives)


def drive(name, *arguments):
    same(name, getattr(cuda, name)(*arguments), 0)


def text(name, *arguments, length=128):
    buffer = ctypes.create_string_buffer(length)
    call(name, *arguments, buffer, c_uint(length))
    return buffer.value.decode()


def number(name, *arguments, kind=c_uint):
    value = kind()
    call(name, *arguments, byref(value))
    return value.value


def first_device():
    device = c_void_p()
    call("nvmlDeviceGetHandleByIndex_v2", 0, byref(device))
    return device


def memory(device):
    found = MemoryV2(version=MEMORY_V2)
    call("nvmlDeviceGetMemoryInfo_v2", device, byref(found))
    same("the parts of the memory", found.used + found.free + found.reserved, found.total)
    return found


def processes(device):
    room = (Process * 8)()
    count = c_uint(8)
    call("nvmlDeviceGetComputeRunningProcesses_v3", device, byref(count), room)
    return [(p.pid, p.used) for p in room[: count.value]]


def before_init():
    call("nvmlDeviceGetCount_v2", byref(c_uint()), gives=UNINITIALIZED)
    call("nvmlShutdown", gives=UNINITIALIZED)
    nvml.nvmlErrorString.restype = c_char_p
    same("an error's text", nvml.nvmlErrorString(NOT_SUPPORTED), b"Not Supported")


def in_child(body):
    child = os.fork()
    if child == 0:
        os._exit(0 if body() else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def forks_before_cuda():
    same(
        "cuInit in a child after nvmlInit",
        in_child(lambda: cuda.cuInit(0) == 0 and number("nvmlDeviceGetCount_v2") > 0),
        0,
    )


def forks_after_cuda():
    body = lambda: cuda.cuInit(0) == CUDA_NOT_INITIALIZED and number("nvmlDeviceGetCount_v2") > 0
    same("NVML in a child after cuInit", in_child(body), 0)


def identity_is_the_drivers(device):
    count, total, uuid = c_int(), c_size_t(), (ctypes.c_ubyte * 16)()
    name, bus = ctypes.create_string_buffer(128), ctypes.create_string_buffer(32)
    drive("cuDeviceGetCount", byref(count))
    drive("cuDeviceTotalMem_v2", byref(total), 0)
    drive("cuDeviceGetUuid_v2", uuid, 0)
    drive("cuDeviceGetName", name, 128, 0)
    drive("cuDeviceGetPCIBusId", bus, 32, 0)
    same("the count", number("nvmlDeviceGetCount_v2"), count.value)
    same("the name", text("nvmlDeviceGetName", device), name.value.decode())
    digits = bytes(uuid).hex()
    wanted = "GPU-" + "-".join(
        [digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]]
    )
    same("the UUID", text("nvmlDeviceGetUUID", device), wanted)
    pci = Pci()
    call("nvmlDeviceGetPciInfo_v3", device, byref(pci))
    place = lambda text: [int(part, 16) for part in text.decode().split(".")[0].split(":")]
    same("the PCI address", [place(pci.legacy), place(pci.bus_id)], [place(bus.value)] * 2)
    same("the total memory", memory(device).total, total.value)
    version = c_int()
    drive("cuDriverGetVersion", byref(version))
    same("CUDA's version", number("nvmlSystemGetCudaDriverVersion_v2", kind=c_int), version.value)
    for by, key in [
        ("nvmlDeviceGetHandleByUUID", wanted.encode()),
        ("nvmlDeviceGetHandleByPciBusId_v2", pci.bus_id),
        ("nvmlDeviceGetHandleByPciBusId_v2", bus.value),
    ]:
        found = c_void_p()
        call(by, c_char_p(key), byref(found))
        same(by, number("nvmlDeviceGetIndex", found), 0)


def what_is_wrong_is_said(device):
    found = c_void_p()
    count = number("nvmlDeviceGetCount_v2")
    call("nvmlDeviceGetHandleByIndex_v2", count, byref(found), gives=INVALID_ARGUMENT)
    call("nvmlDeviceGetHandleByIndex_v2", 0, None, gives=INVALID_ARGUMENT)
    call("nvmlDeviceGetHandleByUUID", c_char_p(b"GPU-0"), byref(found), gives=NOT_FOUND)
    call("nvmlDeviceGetHandleByUUID", None, byref(found), gives=INVALID_ARGUMENT)
    call("nvmlDeviceGetName", device, None, 0, gives=INVALID_ARGUMENT)
    call("nvmlDeviceGetName", device, ctypes.create_string_buffer(4), 4, gives=INSUFFICIENT_SIZE)
    for bad in [c_void_p(), c_void_p(8), c_void_p(device.value + count)]:
        call("nvmlDeviceGetIndex", bad, byref(c_uint()), gives=INVALID_ARGUMENT)
        call("nvmlDeviceGetTemperature", bad, 0, byref(c_uint()), gives=INVALID_ARGUMENT)
    call("nvmlDeviceGetTemperature", device, 0, None, gives=INVALID_ARGUMENT)
    call("nvmlDeviceGetMemoryInfo_v2", device, byref(MemoryV2(version=1)), gives=VERSION_MISMATCH)
    call("nvmlDeviceSetPowerManagementLimit", device, 100_000, gives=NOT_SUPPORTED)


def processes_are_the_sessions_own(device):
    same("processes before there is a context", processes(device), [])
    context, address, bytes_ = c_void_p(), c_uint64(), 64 * MIB
    drive("cuCtxCreate_v2", byref(context), 0, 0)
    drive("cuMemAlloc_v2", byref(address), c_size_t(bytes_))
    [(pid, used)] = processes(device)
    same("the process", pid, os.getpid())
    same("its memory", used, memory(device).used)
    if not bytes_ <= used < 2 * bytes_:
        sys.exit(f"after allocating {bytes_} bytes the session uses {used}")
    call(
        "nvmlDeviceGetComputeRunningProcesses_v3",
        device,
        byref(c_uint(0)),
        None,
        gives=INSUFFICIENT_SIZE,
    )
    freed_blocks_are_not_used(device)
    drive("cuCtxDestroy_v2", context)
    same("processes after the context", processes(device), [])
    same("memory after the context", memory(device).used, 0)


def freed_blocks_are_not_used(device):
    # Small blocks share pages, which stay mapped for a while after the last block is freed.
    before, bytes_ = memory(device).used, 64 * 1024
    blocks = [c_uint64() for _ in range(256)]
    for block in blocks:
        drive("cuMemAlloc_v2", byref(block), c_size_t(bytes_))
    if not memory(device).used >= before + len(blocks) * bytes_:
        sys.exit(f"after {len(blocks)} blocks the session uses {memory(device).used}")
    for block in blocks:
        drive("cuMemFree_v2", block)
    same("memory after the blocks", memory(device).used, before)


def one_session():
    names = [open(path).read().strip() for path in glob.glob("/proc/self/task/*/comm")]
    same("sessions of this process", names.count("outhaul-send"), 1)


def identity():
    before_init()
    call("nvmlInit_v2")
    forks_before_cuda()
    drive("cuInit", 0)
    device = first_device()
    identity_is_the_drivers(device)
    what_is_wrong_is_said(device)
    call("nvmlDeviceGetUtilizationRates", device, byref(Utilization()), gives=NOT_SUPPORTED)
    fields = (Field * 1)(Field(id=82))
    call("nvmlDeviceGetFieldValues", device, 1, fields)
    same("a field without NVML", fields[0].status, NOT_SUPPORTED)
    processes_are_the_sessions_own(device)
    forks_after_cuda()
    one_session()
    call("nvmlShutdown")
    call("nvmlDeviceGetName", device, ctypes.create_string_buffer(64), 64, gives=UNINITIALIZED)
    return "identity, memory, processes, forks and errors as NVML and the driver have them"


def sensors():
    call("nvmlInit_v2")
    device = first_device()
    same("the driver's version", text("nvmlSystemGetDriverVersion"), "999.11.22")
    same("NVML's version", text("nvmlSystemGetNVMLVersion").split(".", 1)[1], "999.11.22")
    rates = Utilization()
    call("nvmlDeviceGetUtilizationRates", device, byref(rates))
    same("utilization", (rates.gpu, rates.memory), (37, 12))
    same("a temperature", number("nvmlDeviceGetTemperature", device, 0), 61)
    call("nvmlDeviceGetTemperature", device, 9, byref(c_uint()), gives=INVALID_ARGUMENT)
    same("the serial number", text("nvmlDeviceGetSerial", device), "0123456789")
    call("nvmlDeviceGetSerial", device, ctypes.create_string_buffer(4), 4, gives=INSUFFICIENT_SIZE)
    same("energy", number("nvmlDeviceGetTotalEnergyConsumption", device, kind=c_uint64), 1 << 40)
    call("nvmlDeviceGetFanSpeed", device, byref(c_uint()), gives=13)
    fields = (Field * 3)(Field(id=82), Field(id=138), Field(id=186))
    call("nvmlDeviceGetFieldValues", device, 3, fields)
    same(
        "fields", [(f.status, f.value) for f in fields], [(0, 1082), (NOT_SUPPORTED, 0), (0, 1186)]
    )
    pci = Pci()
    call("nvmlDeviceGetPciInfo_v3", device, byref(pci))
    same("the PCI identity", (pci.id, pci.subsystem), (0x233510DE, 0x18BE10DE))
    pdi = Pdi(version=PDI_V1)
    call("nvmlDeviceGetPdi", device, byref(pdi))
    same("a struct that says its version", (pdi.version, pdi.value), (PDI_V1, 0xE061192281FD7F55))
    call("nvmlDeviceGetPdi", device, byref(Pdi(version=2)), gives=VERSION_MISMATCH)
    call("nvmlInternalGetExportTable", byref(c_void_p()), TABLE_ID, gives=NOT_SUPPORTED)
    info = memory(device)
    same("free memory, as others leave it", info.free, 1 << 30)
    plain = Memory()
    call("nvmlDeviceGetMemoryInfo", device, byref(plain))
    same("memory that is not free", plain.used, info.total - info.free)
    return "utilization, temperature, energy, texts, fields and memory come from the node's NVML"


def table():
    call("nvmlInternalGetExportTable", byref(c_void_p()), TABLE_ID, gives=UNINITIALIZED)
    call("nvmlInit_v2")
    events, words = c_void_p(), c_void_p()
    call("nvmlEventSetCreate", byref(events))
    call("nvmlEventSetFree", events)
    call("nvmlInternalGetExportTable", byref(words), bytes(16), gives=NOT_SUPPORTED)
    call("nvmlInternalGetExportTable", byref(words), TABLE_ID)
    size = c_uint64.from_address(words.value).value
    same("its words", size, 270 * 8)
    slots = (c_void_p * (size // 8)).from_address(words.value)
    same("slots without a function", [slot for slot in range(3, len(slots)) if not slots[slot]], [])
    function = lambda slot: ctypes.CFUNCTYPE(c_int)(slots[slot])
    device, bus = first_device(), ctypes.create_string_buffer(0x22)
    same("a line for the log", function(26)(b"nvidia-smi %s: %s\n", b"stdout", b"a line"), SUCCESS)
    same("the PCI address", function(81)(0, bus, c_uint(len(bus))), SUCCESS)
    found = c_void_p()
    call("nvmlDeviceGetHandleByPciBusId_v2", bus, byref(found))
    same("the device at it", found.value, device.value)
    same("the PCI address of no device", function(81)(9, bus, c_uint(len(bus))), INVALID_ARGUMENT)
    answer = c_uint(7)
    same(
        "whether it can be watched",
        (function(72)(device, byref(answer)), answer.value),
        (SUCCESS, 1),
    )
    for slot in [213, 214, 215]:
        count = c_uint(500)
        same(
            "processes",
            (function(slot)(device, byref(count), None, 0, device), count.value),
            (SUCCESS, 0),
        )
    same("what processes used", function(145)(device), NOT_FOUND)
    same(
        "a slot of which nothing is known",
        function(231)(device, bus, c_uint(len(bus))),
        NOT_SUPPORTED,
    )
    return "nvidia-smi's table: addresses, processes, and refusals"


def uuid_of(ordinal):
    uuid = (ctypes.c_ubyte * 16)()
    drive("cuDeviceGetUuid_v2", uuid, ordinal)
    return bytes(uuid).hex()


def visible():
    call("nvmlInit_v2")
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    same(
        "cuInit when no device is visible",
        in_child(lambda: cuda.cuInit(0) == CUDA_NO_DEVICE and number("nvmlDeviceGetCount_v2") == 3),
        0,
    )
    os.environ["CUDA_VISIBLE_DEVICES"] = "2,0"
    drive("cuInit", 0)
    same("NVML's count", number("nvmlDeviceGetCount_v2"), 3)
    count = c_int()
    drive("cuDeviceGetCount", byref(count))
    same("CUDA's count", count.value, 2)
    devices = []
    for index in range(3):
        devices.append(c_void_p())
        call("nvmlDeviceGetHandleByIndex_v2", index, byref(devices[index]))
    known = [
        text("nvmlDeviceGetUUID", device).removeprefix("GPU-").replace("-", "")
        for device in devices
    ]
    same("CUDA's devices", [uuid_of(0), uuid_of(1)], [known[2], known[0]])
    context, address, value = c_void_p(), c_uint64(), c_uint()
    drive("cuCtxCreate_v2", byref(context), 0, 0)
    drive("cuMemAlloc_v2", byref(address), c_size_t(64 * MIB))
    drive("cuMemsetD32_v2", address, c_uint(0x2A), c_size_t(16))
    drive("cuMemcpyDtoH_v2", byref(value), address, c_size_t(4))
    same("what was written", value.value, 0x2A)
    same("where the process is", [len(processes(device)) for device in devices], [0, 0, 1])
    same(
        "where the memory is",
        [memory(device).used >= 64 * MIB for device in devices],
        [False, False, True],
    )
    return "CUDA_VISIBLE_DEVICES=2,0 of three devices, set after nvmlInit"


def nodes():
    call("nvmlInit_v2")
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    drive("cuInit", 0)
    same("NVML's count", number("nvmlDeviceGetCount_v2"), 2)
    count = c_int()
    drive("cuDeviceGetCount", byref(count))
    same("CUDA's count", count.value, 1)
    devices = [c_void_p(), c_void_p()]
    buses = []
    for index, device in enumerate(devices):
        call("nvmlDeviceGetHandleByIndex_v2", index, byref(device))
        pci = Pci()
        call("nvmlDeviceGetPciInfo_v3", device, byref(pci))
        buses.append(pci.bus_id.decode().lower())
    bus = ctypes.create_string_buffer(64)
    drive("cuDeviceGetPCIBusId", bus, 64, 0)
    same(
        "two addresses, and CUDA's device",
        [len(set(buses)), buses[1].endswith(bus.value.decode().lower().lstrip("0"))],
        [2, True],
    )
    context, address = c_void_p(), c_uint64()
    drive("cuCtxCreate_v2", byref(context), 0, 0)
    drive("cuMemAlloc_v2", byref(address), c_size_t(64 * MIB))
    drive("cuMemsetD32_v2", address, c_uint(0x2A), c_size_t(16))
    same("where the process is", [len(processes(device)) for device in devices], [0, 1])
    same(
        "where the memory is",
        [memory(device).used >= 64 * MIB for device in devices],
        [False, True],
    )
    return "the devices of two nodes, at " + " and ".join(buses)


print(
    {"identity": identity, "nodes": nodes, "sensors": sensors, "table": table, "visible": visible}[
        sys.argv[1]
    ]()
)
