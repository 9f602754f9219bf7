"""CuPy on the software GPU. NVIDIA's libraries for matrices and Fourier transforms do not run there,
because they hold machine code and hardly any PTX. NumPy computes these functions instead."""

import numpy as np

NAME = b"Outhaul Software GPU"


def namespace_of(cupy, ordinal):
    """Returns the module of functions for a GPU: CuPy, or for the software GPU what replaces it."""
    name = cupy.cuda.runtime.getDeviceProperties(ordinal)["name"]
    return SoftwareGpuNamespace(cupy) if name.startswith(NAME) else cupy


class NumpyFunctions:
    """Functions of a module of NumPy, for CuPy's arrays."""

    def __init__(self, cupy, module):
        self._cupy, self._module = cupy, module

    def __getattr__(self, name):
        function = getattr(self._module, name)

        def compute(*arguments, **options):
            result = function(*map(self._cupy.asnumpy, arguments), **options)
            if isinstance(result, tuple):
                return tuple(map(self._cupy.asarray, result))
            return self._cupy.asarray(result)

        return compute


class SoftwareGpuNamespace:
    """CuPy without the functions that need cuBLAS, cuSOLVER or cuFFT, which are NumPy's here."""

    def __init__(self, cupy):
        self._cupy = cupy
        self.linalg = NumpyFunctions(cupy, np.linalg)
        self.fft = NumpyFunctions(cupy, np.fft)
        self._numpy = NumpyFunctions(cupy, np)

    def __getattr__(self, name):
        return getattr(self._cupy, name)

    def matmul(self, a, b):
        """Returns a @ b."""
        return self._numpy.matmul(a, b)

    def tensordot(self, a, b, axes):
        """Returns the sum of products over some axes."""
        return self._numpy.tensordot(a, b, axes=axes)

    def einsum(self, subscripts, a, b):
        """Returns the sum of products that the subscripts describe."""
        product = np.einsum(subscripts, self._cupy.asnumpy(a), self._cupy.asnumpy(b))
        return self._cupy.asarray(product)
