"""A runtime in another process, for a program: the methods of Runtime, over gRPC."""

import grpc

from ..errors import RuntimeUnreachable
from ..files.sinks import ArraySink
from .entered_runtimes import Context
from .events import listeners
from .lane import refuse_inside_subtask
from .protocol import METHOD, SERVICE, key_of_this_user, pieces, release
from .serialization import unpack


class RemoteRuntime(Context):
    """outhaul.connect("127.0.0.1:7790"). It reads and writes files of the runtime's machine."""

    def __init__(self, address, key=None):
        self.address = address
        self.channel = grpc.insecure_channel(address)
        self.metadata = (
            ("outhaul-key", key or key_of_this_user(create=False)),
            ("outhaul-release", release()),
        )
        self.method = self.channel.stream_stream(f"/{SERVICE}/{METHOD}")

    def close(self):
        self.channel.close()

    def run(self, sinks, policy=None):
        results = self._call("run", sinks, policy)
        return [
            sink.arrived(result) if isinstance(sink, ArraySink) else result
            for sink, result in zip(sinks, results)
        ]

    def execute_flow(self, flow, sinks, policy=None):
        return self._call("execute_flow", flow, sinks, policy)

    def explain(self, arrays, policy=None):
        return self._call("explain", arrays, policy)

    def from_npy(self, path, chunks=None):
        """Returns a .npy file on the runtime's machine."""
        return self._call("from_npy", path, chunks)

    def from_zarr(self, store, path="", chunks=None):
        """Returns a Zarr array on the runtime's machine."""
        return self._call("from_zarr", store, path, chunks)

    def from_parquet(self, path, column, chunks=None):
        """Returns a column of a Parquet file on the runtime's machine."""
        return self._call("from_parquet", path, column, chunks)

    def from_hdf5(self, path, dataset, chunks=None):
        """Returns a dataset of an HDF5 file on the runtime's machine."""
        return self._call("from_hdf5", path, dataset, chunks)

    def from_tiff(self, path, chunks=None):
        """Returns a TIFF stack on the runtime's machine."""
        return self._call("from_tiff", path, chunks)

    def _call(self, name, *arguments):
        refuse_inside_subtask()
        call = self.method(pieces((name, arguments)), metadata=self.metadata)
        try:
            for kind, *values in messages(call):
                if kind == "result":
                    return values[0]
                if kind == "error":
                    raise values[0]
                for listener in listeners.get():
                    getattr(listener, kind)(*values)
        except grpc.RpcError as error:
            raise RuntimeUnreachable(f"runtime at {self.address}: {error.details()}") from error
        finally:
            call.cancel()
        raise RuntimeUnreachable(f"runtime at {self.address}: it ended without a result")


def messages(responses):
    """Yields the messages of a call from their pieces."""
    data = bytearray()
    for piece in responses:
        data += piece[1:]
        if piece[:1] == b".":
            yield unpack(data)
            data = bytearray()
