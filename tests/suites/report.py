"""The end of a run: at most 40 lines that tell everything, for readers who see nothing else."""

from collections import Counter

import flaky

FAILED_LINES = 20
OTHER_LINES = 5
COLUMNS = 160


def tell(outcomes) -> bool:
    """Prints failed, flaky and skipped tests, the seconds of each section, and the counts. Returns
    whether the run succeeded."""
    failed = named(outcomes, lambda outcome: outcome.of("failed"))
    try:
        known = flaky.known()
    except ValueError as error:
        known = []
        failed.append((f"{flaky.FILE}", str(error)))
    now_flaky = named(outcomes, lambda outcome: outcome.flaky)
    names = sorted({*known, *(name for name, _ in now_flaky)})
    if len(names) > flaky.NAMES_MAX:
        failed.append(
            (
                f"{flaky.FILE}",
                f"{len(names)} tests are flaky, at most {flaky.NAMES_MAX} may be:"
                f" {', '.join(names)}",
            )
        )
    print("\n== summary")
    section("FAILED", failed, FAILED_LINES)
    section("flaky", now_flaky, OTHER_LINES)
    if unknown := [name for name, _ in now_flaky if name not in known]:
        print(
            cut(
                f"   to be written into {flaky.FILE}, with the date and the cause:"
                f" {', '.join(unknown)}"
            )
        )
    section("skipped", named(outcomes, lambda outcome: outcome.of("skipped")), OTHER_LINES)
    print_seconds(outcomes)
    passed, skipped = (
        sum(len(outcome.of(kind)) for outcome in outcomes) for kind in ("passed", "skipped")
    )
    print(
        f"{passed} passed, {len(failed)} failed{f', {skipped} skipped' if skipped else ''}",
        flush=True,
    )
    return not failed and passed > 0


def named(outcomes, choose):
    """Returns names that are unique in the run, and the reasons."""
    return [
        (
            verdict.name
            if verdict.name == outcome.section.name
            else f"{outcome.section.name}: {verdict.name}",
            verdict.why,
        )
        for outcome in outcomes
        for verdict in choose(outcome)
    ]


def section(word, verdicts, lines_max):
    places = fair(verdicts, lines_max)
    for name, why in (verdicts[place] for place in places):
        print(cut(f"{word:8} {name}{f': {why}' if why else ''}"))
    if len(verdicts) > lines_max:
        left = Counter(
            of_section(name) for place, (name, _) in enumerate(verdicts) if place not in places
        )
        where = "; ".join(f"{name}: {count}" for name, count in left.items())
        print(cut(f"{word:8} and {left.total()} more, in the logs: {where}"))


def fair(verdicts, lines_max):
    """Returns the positions of so many verdicts, in their order: first the first of each section,
    then second ones."""
    ranks, before = [], Counter()
    for place, (name, _) in enumerate(verdicts):
        ranks.append((before[of_section(name)], place))
        before[of_section(name)] += 1
    return sorted(place for _, place in sorted(ranks)[:lines_max])


def of_section(name):
    return name.partition(": ")[0]


def print_seconds(outcomes):
    line = f"seconds: {sum(outcome.seconds for outcome in outcomes):.0f} in all"
    for outcome in outcomes:
        part = f"{outcome.section.name}: {outcome.seconds:.0f}"
        if len(line) + len(part) + 2 > COLUMNS:
            print(line + ";")
            line = f"  {part}"
        else:
            line += f"; {part}"
    print(line)


def cut(line):
    return line if len(line) <= 2 * COLUMNS else line[: 2 * COLUMNS - 3] + "..."
