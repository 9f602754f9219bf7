"""python -m outhaul.runtime serve: offers this machine's GPUs to programs elsewhere."""

import argparse
import sys

from ..sizes import counted
from .local import Runtime
from .protocol import DEFAULT_ADDRESS, KEY_FILE, key_of_this_user


def arguments():
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m outhaul.runtime",
        description="Runs graphs for other programs on this machine's GPUs.",
    )
    serve = parser.add_subparsers(dest="command", required=True).add_parser(
        "serve", help="listen for programs; by default on this machine only"
    )
    serve.add_argument(
        "--listen",
        default=DEFAULT_ADDRESS,
        metavar="HOST:PORT",
        help="default %(default)s; port 0 takes a free one. Anyone with the key can run code here",
    )
    serve.add_argument("--backend", default="cuda", choices=["cuda", "host"])
    serve.add_argument(
        "--gpus", type=lambda text: text if text == "all" else int(text), help='"all" or how many'
    )
    serve.add_argument("--memory", help='of each GPU, as "16 GB" or "80%%"')
    serve.add_argument("--scratch", help="the part of it for functions")
    serve.add_argument(
        "--policy", default="ours", choices=["ours", "victream", "locality", "ptask", "fifo"]
    )
    serve.add_argument(
        "--retries", type=int, default=0, help="how often to run a failed subtask again"
    )
    serve.add_argument("--costs", metavar="FILE", help="keeps the costs of subtasks")
    return parser.parse_args()


def main():
    """Serves until it is interrupted."""
    options = vars(arguments())
    listen = options.pop("listen")
    del options["command"]
    from .server import Server

    runtime = Runtime(**options)
    server = Server(runtime, listen, key_of_this_user(create=True))
    host = listen.rsplit(":", 1)[0]
    print(
        f"outhaul: runtime of {counted(len(runtime.devices()), 'GPU')} on {host}:{server.port}, key in "
        f"OUTHAUL_RUNTIME_KEY or {KEY_FILE}",
        flush=True,
    )
    try:
        server.wait()
    except KeyboardInterrupt:
        server.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
