"""The interface through which a runtime uses GPUs, with two implementations: `cuda` (CuPy on any
libcuda.so.1) and `host` (NumPy, with any number of pretended GPUs).

A backend has

    devices                     a list of devices
    host_buffer(nbytes)         returns host memory from and to which devices copy fast, as a flat
                                array of uint8
    give_back(buffer)           keeps a buffer for a later host_buffer
    host_bytes_max              maximum bytes of all such buffers together, kept ones included
    pin(array)                  makes copies from and to a user's array fast, if possible
    close()                     releases everything

and a device

    xp                          its array module
    capacity_bytes              maximum bytes of partitions
    scratch_bytes               maximum bytes that functions may use in addition
    enter()                     each thread that works for the device calls it once
    allocate(nbytes), free(b)   memory for a partition; in total never more than the capacity
    view(buffer, spec)          returns a partition as an array
    load(host, buffer)          copies from a host array, contiguous or not; returns after the copy
    store(buffer, host)         copies the other way
    peer(source, other, buffer) copies from the buffer `other` on the device `source`
    apply(function, ins, out)   runs a subtask; returns when it is done
    array(value)                converts the result of a user's function into an array of xp

The runtime calls load, store and apply from one thread each, and they overlap. A lost device raises
DeviceLost. Order, eviction and retries are deliberately absent: the scheduler and the run do these.
"""

from .host import HostBackend

__all__ = ["HostBackend", "open_backend"]


def open_backend(name, **options):
    """Returns the backend of this name, and imports only that one."""
    if name == "host":
        return HostBackend(**options)
    if name == "cuda":
        from .cuda import CudaBackend

        return CudaBackend(**options)
    raise ValueError(f'no backend "{name}": there are "cuda" and "host"')
