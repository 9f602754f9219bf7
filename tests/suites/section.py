"""One section of a suite: a command, and what its failure means."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Section:
    name: str
    command: list[str]
    # A guard against hangs, several times what the section takes on two cores.
    limit_s: int
    # Nothing after it makes sense when it fails: a lint, a build.
    stops: bool = False
    # Its command writes a verdict for each test. Without that the section is one test itself.
    has_verdicts: bool = True
    # Its tests start processes, so a busy machine may have been the cause: they run once more, alone.
    retries: bool = False
    # The second run takes the names of what failed as arguments; without that it is the whole section.
    retries_by_name: bool = False
    environment: dict[str, str] = field(default_factory=dict)
