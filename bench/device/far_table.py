"""Prints the results of far.sh as Markdown: a row for each case, with medians in ms natively and
for each link, then all times. It names checksums that differ from the native one."""

import sys

from programs_table import cases


def row(columns) -> str:
    return "| " + " | ".join(columns) + " |"


def main() -> int:
    ways = sys.argv[1:]
    by_way = {way: cases(way) for way in ways}
    wrong = 0
    print(row(["median, ms", *ways]))
    print("|" + "---|" * (len(ways) + 1))
    for case, (_, checksum, _) in by_way[ways[0]].items():
        columns = [case]
        for way in ways:
            found = by_way[way].get(case)
            if found is not None and found[1] != checksum:
                wrong += 1
                columns.append("WRONG")
            else:
                columns.append(f"{found[0]:.1f}" if found else "nothing")
        print(row(columns))
    print("\nall times, ms")
    for case in by_way[ways[0]]:
        for way in ways:
            if case in by_way[way]:
                print(f"{case:<26} {way:<10}", *(f"{one:.1f}" for one in by_way[way][case][2]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
