"""Runs the graphs of the library Dask on a runtime."""

from .scheduler import dask_get

__all__ = ["dask_get"]
