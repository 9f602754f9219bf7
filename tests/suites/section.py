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


def script(name, *command, limit_s, retries=False, **environment):
    """A section that is a command with a verdict for each of its tests."""
    return Section(name, list(command), limit_s, retries=retries, environment=environment)


def check(name, *command, limit_s, stops=False, **environment):
    """A section that is one test."""
    return Section(
        name, list(command), limit_s, stops=stops, has_verdicts=False, environment=environment
    )


def conformance(name, *way, limit_s, retries=False, **environment):
    """The conformance suite in one way, as tests/conformance/run.sh says."""
    return script(
        f"conformance, {name}",
        "tests/conformance/run.sh",
        *way,
        limit_s=limit_s,
        retries=retries,
        **environment,
    )


def random_programs(name, *way, limit_s, retries=False, **environment):
    """Random programs in one way, as tests/random-programs/run.sh says."""
    return script(
        f"random programs, {name}",
        "tests/random-programs/run.sh",
        *way,
        limit_s=limit_s,
        retries=retries,
        **environment,
    )
