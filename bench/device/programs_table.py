"""Prints the results of programs.sh: a row for each case, with native medians in ms, for each link
the ratio to the native time, then all times. It names checksums that differ from the native one."""

import sys


def cases(path: str) -> dict:
    """Returns (median ms, checksum, all ms) by case, from the lines `NAME MEDIAN CHECKSUM
    TIME...`."""
    found = {}
    with open(path) as lines:
        for line in lines:
            words = line.split()
            try:
                found[words[0]] = (float(words[1]), words[2], [float(word) for word in words[3:]])
            except (IndexError, ValueError):
                continue
    return found


def main() -> int:
    native, *links = sys.argv[1:]
    by_way = {way: cases(way) for way in (native, *links)}
    wrong = 0
    print(f"{'case':<20} {'native ms':>10}", *(f"{link:>14}" for link in links))
    for case, (median_ms, checksum, _) in by_way[native].items():
        columns = []
        for link in links:
            found = by_way[link].get(case)
            if found is None:
                columns.append(f"{'nothing':>14}")
            elif found[1] != checksum:
                wrong += 1
                columns.append(f"{'WRONG':>14}")
            else:
                columns.append(f"{found[0] / median_ms:>14.2f}")
        print(f"{case:<20} {median_ms:>10.2f}", *columns)
    print("\nall times, ms")
    for case in by_way[native]:
        for way in (native, *links):
            if case in by_way[way]:
                print(f"{case:<20} {way:<12}", *(f"{one:.1f}" for one in by_way[way][case][2]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
