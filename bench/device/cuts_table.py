"""Prints the tables of cuts.sh: medians without and with a grace, and their ratio, then all runs.

    cuts_table.py steps NATIVE WITHOUT WITH      files with a line of JSON for each run of models.py
    cuts_table.py copies FILE...                 results of `outhaul bench --json`, named
                                                 NAME.GRACE.ROUND
"""

import json
import statistics
import sys
from collections import defaultdict


def steps(native, without, with_grace):
    runs = {
        name: [json.loads(line) for line in open(path)]
        for name, path in [("native", native), ("no grace", without), ("120 s", with_grace)]
    }
    base = statistics.median(run["ms_per_step"] for run in runs["native"])
    for name, of_name in runs.items():
        if of_name:
            times = [run["ms_per_step"] for run in of_name]
            print(
                f"{of_name[0]['case']:<18} {name:<9} {statistics.median(times):8.3f} ms  "
                f"{base / statistics.median(times):.4f} of native  {times}"
            )


def copies(*paths):
    times = defaultdict(lambda: defaultdict(list))
    for path in paths:
        grace, results = path.split(".")[-2], json.load(open(path))
        for link in results["links"]:
            reach = link["reach"]
            rates = [reach[way] / 1e9 for way in ("to_node_bytes_per_s", "to_client_bytes_per_s")]
            print(
                f"{link['name']} with {grace} s: shaped by {link['shaped_by']}, {rates[0]:.2f} "
                f"GB/s to the node, {rates[1]:.2f} back"
            )
        for row in results["rows"]:
            name = "native" if row["link"] == "native" else f"{row['link']} {grace}"
            times[(row["case"], row["what"])][name] += row["us"]
    ratios = defaultdict(list)
    print("us: native; then for each link without and with a grace, with over without")
    for (_, what), by_way in times.items():
        median = {way: statistics.median(of_way) for way, of_way in by_way.items()}
        line = f"{what:<40} {median['native']:>10.1f}"
        for link in sorted({way.rsplit(" ", 1)[0] for way in median if way != "native"}):
            without, with_grace = median.get(f"{link} 0"), median.get(f"{link} 120")
            if without and with_grace:
                ratios[link].append(with_grace / without)
                line += f"  {link} {without:>10.1f} {with_grace:>10.1f} {with_grace / without:.3f}"
        print(line)
    for link, of_link in ratios.items():
        print(
            f"{link}: median of {len(of_link)} ratios {statistics.median(of_link):.4f}, from "
            f"{min(of_link):.3f} to {max(of_link):.3f}"
        )


{"steps": steps, "copies": copies}[sys.argv[1]](*sys.argv[2:])
