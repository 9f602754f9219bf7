"""A runtime for programs without a GPU: `python -m outhaul.runtime serve`. Graphs come over gRPC,
and data remains here."""

import hmac
import queue
import threading
from concurrent.futures import ThreadPoolExecutor

import grpc

from ..arrays.opening import from_hdf5, from_npy, from_parquet, from_tiff, from_zarr
from .events import listening
from .protocol import CALLS_MAX, CLIENTS_MAX, METHOD, REQUEST_BYTES_MAX, SERVICE, pieces, release
from .serialization import pack, unpack


class ClientGone(Exception):
    """The client no longer waits for the result."""


class Server:
    """Serves `runtime` at `address`; `port` is the port that it got."""

    def __init__(self, runtime, address, key):
        self.runtime = runtime
        self.key = key
        self.server = grpc.server(
            ThreadPoolExecutor(CALLS_MAX), maximum_concurrent_rpcs=CLIENTS_MAX
        )
        handler = grpc.stream_stream_rpc_method_handler(self.call)
        self.server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler(SERVICE, {METHOD: handler}),)
        )
        try:
            self.port = self.server.add_insecure_port(address)
        except RuntimeError as error:
            raise OSError(f"cannot listen on {address}: {error}") from error
        self.server.start()

    def wait(self):
        self.server.wait_for_termination()

    def close(self):
        self.server.stop(0).wait()

    def call(self, request, context):
        """Handles one call. It receives (name, arguments), sends events while the call runs, then
        ("result", value) or ("error", exception)."""
        self.admit(context)
        name, arguments = unpack(gathered(request, context))
        method = {
            "run": self.runtime.run,
            "execute_flow": self.runtime.execute_flow,
            "explain": self.runtime.explain,
            "from_npy": from_npy,
            "from_zarr": from_zarr,
            "from_parquet": from_parquet,
            "from_hdf5": from_hdf5,
            "from_tiff": from_tiff,
        }[name]
        messages = queue.SimpleQueue()
        worker = threading.Thread(
            target=self.carry_out, args=(method, arguments, messages, context), daemon=True
        )
        worker.start()
        while (message := messages.get()) is not None:
            for piece in framed(message):
                yield piece
        worker.join()

    def carry_out(self, method, arguments, messages, context):
        """Executes a method. Runs wait for each other; see Runtime."""
        try:
            with listening(Events(messages, context)):
                messages.put(("result", method(*arguments)))
        except ClientGone:
            pass
        except BaseException as error:  # the client raises it again
            messages.put(("error", portable(error)))
        finally:
            messages.put(None)

    def admit(self, context):
        sent = dict(context.invocation_metadata())
        if not hmac.compare_digest(sent.get("outhaul-key", "").encode(), self.key.encode()):
            context.abort(
                grpc.StatusCode.UNAUTHENTICATED,
                "the key is wrong: give both sides the same OUTHAUL_RUNTIME_KEY, or the server's "
                "~/.outhaul/runtime.key",
            )
        if sent.get("outhaul-release") != release():
            context.abort(
                grpc.StatusCode.FAILED_PRECONDITION,
                f"the runtime has {release()}, this program {sent.get('outhaul-release')}: install "
                f"the same",
            )


def framed(message):
    """Yields a message in pieces, with a mark on the last one."""
    parts = list(pieces(message))
    return [b"+" + part for part in parts[:-1]] + [b"." + parts[-1]]


def gathered(request, context):
    """Returns a request's bytes from its pieces. Ends the call if they exceed the limit."""
    data = bytearray()
    for piece in request:
        data += piece
        if len(data) > REQUEST_BYTES_MAX:
            context.abort(
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                f"the request has more than {REQUEST_BYTES_MAX} bytes: put the data into a file on "
                f"the runtime's machine",
            )
    return data


def portable(error):
    """Returns an error without its objects, which may not exist at the client."""
    if error.__cause__ is not None:
        error.__cause__ = RuntimeError(f"{type(error.__cause__).__name__}: {error.__cause__}")
    try:
        unpack(pack(error))
    except Exception:  # the error's class may raise anything when it is unpickled
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error.with_traceback(None)


class Events:
    """Sends events to the client's progress bars and traces. Ends the run if the client is gone."""

    def __init__(self, messages, context):
        self.messages = messages
        self.context = context

    def began(self, subtasks, gpus):
        self.messages.put(("began", subtasks, gpus))

    def ended(self, span):
        if not self.context.is_active():
            raise ClientGone
        self.messages.put(("ended", span))
