"""Small instances on which schedules are compared with the proven best.

They are one list, so that the check by another solver and the table of distances use the same
graphs. Times are whole slots (a slot is `SLOT_MS`), so that a time-indexed model is exact. The list
covers applications, memory from tight to loose, one to three GPUs, each way of sharing links, costs
below and above transfer times, and files. Instances chosen by the results of a policy are
deliberately absent."""

from dataclasses import dataclass
from pathlib import Path
import json
import subprocess
import tempfile

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "target" / "release" / "examples" / "sim_dag"
SLOT_MS = 20
PARTITION_MB = 128
LINK_MBPS = 6400  # one partition of 128 MB a slot


@dataclass(frozen=True)
class Instance:
    app: str
    partitions: int
    iterations: int
    gpus: int
    memory: int  # in partitions
    size: int = 1  # slots to move a partition over a link
    compute: int = 1  # slots per subtask
    sharing: str = "full"
    read: int = (
        0  # slots to read a partition from its file; 0: inputs and results are in host memory
    )
    write: int = 0

    def flags(self):
        mb = PARTITION_MB * self.size
        flags = {
            "--app": self.app,
            "--partitions": self.partitions,
            "--iterations": self.iterations,
            "--gpus": self.gpus,
            "--memory-mb": self.memory * mb,
            "--partition-mb": mb,
            "--compute-ms": self.compute * SLOT_MS,
            "--link-mbps": LINK_MBPS,
            "--sharing": self.sharing,
            "--home": "file" if self.read else "host",
        }
        if self.read:
            flags["--read-mbps"] = mb / (self.read * SLOT_MS / 1000)
            flags["--write-mbps"] = mb / (self.write * SLOT_MS / 1000)
        return [str(word) for pair in flags.items() for word in pair]


INSTANCES = [
    Instance("blur", 4, 2, 2, 4, 2, 2),
    Instance("blur", 4, 2, 2, 6, 2, 4),
    Instance("blur", 5, 2, 2, 6, 1, 1),
    Instance("blur", 5, 2, 1, 5, 1, 1),
    Instance("blur", 3, 3, 1, 4, 1, 2),
    Instance("blur", 3, 3, 2, 5, 1, 1),
    Instance("blur", 4, 2, 3, 4, 1, 2),
    Instance("blur", 6, 2, 1, 6, 1, 1),
    Instance("blur", 4, 2, 2, 5, 1, 1, "half"),
    Instance("blur", 4, 2, 2, 5, 1, 1, "bus"),
    Instance("blur", 4, 2, 2, 6, 1, 1, "full", 2, 3),
    Instance("blur", 5, 2, 2, 6, 1, 2, "full", 1, 1),
    Instance("blur", 5, 1, 2, 4, 1, 1, "full", 1, 2),
    Instance("matmul", 4, 2, 2, 4, 1, 1),
    Instance("matmul", 4, 2, 2, 5, 1, 2),
    Instance("matmul", 4, 2, 1, 4, 1, 1),
    Instance("matmul", 4, 2, 2, 6, 1, 1, "half"),
    Instance("matmul", 4, 2, 2, 4, 1, 3, "full", 1, 2),
    Instance("matmul", 6, 1, 2, 4, 1, 1),
    Instance("sort", 2, 1, 2, 3, 2, 1),
    Instance("sort", 2, 2, 2, 3, 2, 2),
    Instance("sort", 2, 2, 1, 2, 2, 1),
    Instance("outer", 3, 1, 1, 3, 1, 1),
    Instance("outer", 3, 1, 2, 3, 1, 2),
    Instance("outer", 4, 1, 2, 4, 1, 1),
    Instance("gemm", 2, 1, 1, 5, 1, 1),
    Instance("gemm", 2, 1, 2, 4, 1, 2),
]


def simulate(flags, policies):
    """Returns the rows of the report, by policy."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "report.json"
        subprocess.run(
            [PROGRAM, *flags, "--policy", policies, "--json", out],
            check=True,
            capture_output=True,
            text=True,
        )
        return {row["policy"]: row for row in json.loads(out.read_text())["rows"]}
