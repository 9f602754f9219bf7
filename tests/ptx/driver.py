"""The driver calls that a kernel needs, on any libcuda.so.1: the software GPU's, NVIDIA's, or
Outhaul's client."""

import ctypes
from ctypes import byref, c_int, c_size_t, c_uint, c_uint64, c_void_p

CLUSTER_DIMENSION, COOPERATIVE = 4, 2
DYNAMIC_SHARED_BYTES, OTHER_CLUSTERS = 8, 14
CAPABILITY_MAJOR, CAPABILITY_MINOR = 75, 76


class Attribute(ctypes.Structure):
    """CUlaunchAttribute: its number, padding, and a value of 64 bytes."""

    _fields_ = [("id", c_uint), ("pad", c_uint), ("value", c_uint * 16)]


class Configuration(ctypes.Structure):
    """CUlaunchConfig."""

    _fields_ = [
        ("grid", c_uint * 3),
        ("block", c_uint * 3),
        ("shared_bytes", c_uint),
        ("stream", c_void_p),
        ("attributes", c_void_p),
        ("count", c_uint),
    ]


class DriverError(Exception):
    """A failed call of the driver: its name, and the error's."""


class Driver:
    """A context on device 0, current in the thread that created it."""

    def __init__(self, library):
        try:
            self.cuda = ctypes.CDLL(library)
        except OSError as error:
            raise SystemExit(
                f"{library} cannot be loaded: {error}; name a libcuda.so.1, as "
                f"target/release/outhaul-soft/libcuda.so.1 of `make build`"
            ) from None
        self("cuInit", 0)
        self.device = c_int()
        self("cuDeviceGet", byref(self.device), 0)
        context = c_void_p()
        self("cuDevicePrimaryCtxRetain", byref(context), self.device)
        self("cuCtxSetCurrent", context)

    def __call__(self, name, *arguments):
        code = getattr(self.cuda, name)(*arguments)
        if code:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorName(code, byref(text))
            raise DriverError(f"{name}: {(text.value or b'an unknown error').decode()} ({code})")

    def attribute(self, number):
        value = c_int()
        self("cuDeviceGetAttribute", byref(value), number, self.device)
        return value.value

    def capability(self):
        """Returns the compute capability, such as 90 for `sm_90`."""
        return self.attribute(CAPABILITY_MAJOR) * 10 + self.attribute(CAPABILITY_MINOR)

    def load(self, text):
        module = c_void_p()
        self("cuModuleLoadData", byref(module), ctypes.c_char_p(text.encode()))
        return module

    def function(self, module, name):
        function = c_void_p()
        self("cuModuleGetFunction", byref(function), module, name.encode())
        return function

    def buffer(self, contents):
        """Returns the address of device memory with these bytes."""
        address = c_uint64()
        self("cuMemAlloc_v2", byref(address), c_size_t(max(len(contents), 1)))
        self("cuMemcpyHtoD_v2", address, contents, c_size_t(len(contents)))
        return address

    def read(self, address, size):
        contents = ctypes.create_string_buffer(size)
        self("cuMemcpyDtoH_v2", contents, address, c_size_t(size))
        return contents.raw

    def launch(
        self, function, grid, block, arguments, shared_bytes=0, cluster=None, cooperative=False
    ):
        """Launches a kernel and waits for it. `arguments` are ctypes values."""
        attributes = []
        if cluster:
            if cluster[0] * cluster[1] * cluster[2] > 8:
                self("cuFuncSetAttribute", function, OTHER_CLUSTERS, 1)
            attributes.append(Attribute(CLUSTER_DIMENSION, 0, (c_uint * 16)(*cluster)))
        if cooperative:
            attributes.append(Attribute(COOPERATIVE, 0, (c_uint * 16)(1)))
        if shared_bytes > 48 << 10:
            self("cuFuncSetAttribute", function, DYNAMIC_SHARED_BYTES, shared_bytes)
        table = (Attribute * max(len(attributes), 1))(*attributes)
        places = (c_void_p * max(len(arguments), 1))(
            *[ctypes.cast(byref(a), c_void_p) for a in arguments]
        )
        configuration = Configuration(
            (c_uint * 3)(*grid),
            (c_uint * 3)(*block),
            shared_bytes,
            None,
            ctypes.cast(table, c_void_p),
            len(attributes),
        )
        self("cuLaunchKernelEx", byref(configuration), function, places, None)
        self("cuCtxSynchronize")
