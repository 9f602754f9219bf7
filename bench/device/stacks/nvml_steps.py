"""NVML through nvidia-ml-py and PyTorch: the properties of the device that a program sees."""

import pynvml
import torch

import steps

pynvml.nvmlInit()
handle = pynvml.nvmlDeviceGetHandleByIndex(0)

steps.run(
    {
        "count": lambda: str(pynvml.nvmlDeviceGetCount()),
        "name": lambda: pynvml.nvmlDeviceGetName(handle),
        "uuid is CUDA's": lambda: str(
            str(torch.cuda.get_device_properties(0).uuid) in pynvml.nvmlDeviceGetUUID(handle)
        ),
        "driver": lambda: pynvml.nvmlSystemGetDriverVersion(),
        "memory": lambda: f"{pynvml.nvmlDeviceGetMemoryInfo(handle).total >> 30} GiB",
        "capability": lambda: str(pynvml.nvmlDeviceGetCudaComputeCapability(handle)),
        "utilisation": lambda: (
            f"{'a percentage' if 0 <= torch.cuda.utilization() <= 100 else 'nonsense'}"
        ),
        "temperature": lambda: "plausible" if 10 < torch.cuda.temperature() < 110 else "nonsense",
        "power": lambda: "plausible" if 10 < torch.cuda.power_draw() / 1000 < 1500 else "nonsense",
        "clock": lambda: "plausible" if 100 < torch.cuda.clock_rate() < 4000 else "nonsense",
        "mem_get_info": lambda: f"{torch.cuda.mem_get_info()[1] >> 30} GiB",
    }
)
