"""What a runtime needs of GPUs, twice: `cuda` (CuPy over any libcuda.so.1) and `host` (NumPy, with
as many pretended GPUs as one likes).

A backend has

    devices                     a list of devices
    host_buffer(nbytes)         bytes of host memory that devices copy fast from and to, as a flat
                                array of uint8
    give_back(buffer)           for the next host_buffer
    host_bytes_max              what a runtime lets all such buffers take together, those that are
                                kept included
    pin(array)                  makes copies from and to an array of the user's fast, if it can
    close()

and a device

    xp                          its array module
    capacity_bytes              what partitions may take
    scratch_bytes               what functions may take beside that
    enter()                     called once by each thread that works for it
    allocate(nbytes), free(b)   memory for a partition; together never more than the capacity
    view(buffer, spec)          a partition as an array
    load(host, buffer)          from a host array, contiguous or not; returns when the bytes are
                                there
    store(buffer, host)         the other way
    peer(source, other, buffer) from the buffer `other` on the device `source`
    apply(function, ins, out)   runs a subtask; returns when it is done
    array(value)                what a user's function returned, as an array of xp

Loads, stores and apply are called from one thread each and overlap. A device that is gone raises
DeviceLost. Deliberately absent: order, eviction, retries; they are the scheduler's and the run's.
"""

from .host import HostBackend

__all__ = ["HostBackend", "open_backend"]


def open_backend(name, **options):
    """By name, so that only what is used is imported."""
    if name == "host":
        return HostBackend(**options)
    if name == "cuda":
        from .cuda import CudaBackend

        return CudaBackend(**options)
    raise ValueError(f'no backend "{name}": there are "cuda" and "host"')
