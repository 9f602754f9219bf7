"""Checks NVIDIA's own Python package for NVML, as monitors and frameworks use it."""

import pynvml

pynvml.nvmlInit()
device = pynvml.nvmlDeviceGetHandleByIndex(0)
memory = pynvml.nvmlDeviceGetMemoryInfo(device)
newer = pynvml.nvmlDeviceGetMemoryInfo(device, version=pynvml.nvmlMemory_v2)
assert memory.total == newer.total > 0 and pynvml.nvmlDeviceGetComputeRunningProcesses(device) == []
assert pynvml.nvmlDeviceGetPciInfo(device).busId.count(":") == 2
assert pynvml.nvmlDeviceGetCudaComputeCapability(device)[0] > 0
for sensor in [
    pynvml.nvmlDeviceGetUtilizationRates,
    pynvml.nvmlDeviceGetPowerUsage,
    pynvml.nvmlDeviceGetMigMode,
]:
    try:
        sensor(device)
        raise SystemExit(f"{sensor.__name__} answers on a node without sensors")
    except pynvml.NVMLError_NotSupported:
        pass
print(
    f"{pynvml.nvmlDeviceGetName(device)}, driver {pynvml.nvmlSystemGetDriverVersion()}, NVML "
    f"{pynvml.nvmlSystemGetNVMLVersion()}"
)
pynvml.nvmlShutdown()
