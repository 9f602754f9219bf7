"""One section of a suite: a command, and the meaning of its failure."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Section:
    name: str
    command: list[str]
    # Time limit against hangs: several times what the section takes on two cores.
    limit_s: int
    # Whether later sections make no sense if it fails, as for a lint or a build.
    stops: bool = False
    # Whether its command writes a verdict for each test. Otherwise the section is one test itself.
    has_verdicts: bool = True
    # Whether its tests start processes. Then a busy machine may have caused a failure, so failed
    # tests run once more, alone.
    retries: bool = False
    # Whether the second run takes the names of failed tests as arguments. Otherwise the whole
    # section runs again.
    retries_by_name: bool = False
    # Whether its processes mostly wait. Then it runs at the same time as other such sections.
    waits: bool = False
    environment: dict[str, str] = field(default_factory=dict)


def script(name, *command, limit_s, retries=False, waits=False, **environment):
    """Returns a section whose command writes a verdict for each of its tests."""
    return Section(
        name, list(command), limit_s, retries=retries, waits=waits, environment=environment
    )


def check(name, *command, limit_s, stops=False, waits=False, **environment):
    """Returns a section that is one test."""
    return Section(
        name,
        list(command),
        limit_s,
        stops=stops,
        has_verdicts=False,
        waits=waits,
        environment=environment,
    )


def conformance(name, *way, **options):
    """Returns the conformance suite in one of the ways of tests/conformance/run.sh."""
    return script(f"conformance, {name}", "tests/conformance/run.sh", *way, **options)


def random_programs(name, *way, **options):
    """Returns random programs in one of the ways of tests/random-programs/run.sh."""
    return script(f"random programs, {name}", "tests/random-programs/run.sh", *way, **options)
