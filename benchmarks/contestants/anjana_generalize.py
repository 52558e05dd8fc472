"""anjana's full-domain generalization with the hierarchies given: cells as sets of leaves, `x|y`, or `a..b`."""

import json
import sys
import time
from pathlib import Path

import pandas as pd
from anjana.anonymity import k_anonymity


def main() -> None:
    source, target, options = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    frame = pd.read_csv(source, dtype=str)
    quasi = list(frame.columns[:-1])
    levels, leaves = {}, {}
    for name in quasi:
        file = Path(options["hierarchies"]) / f"adult_hierarchy_{name}.csv"
        table = pd.read_csv(file, sep=";", header=None, dtype=str)
        table = table[table[0].isin(frame[name].unique())]
        levels[name] = {level: table[level].to_numpy() for level in range(table.shape[1])}
        leaves[name] = {
            node: sorted(set(table.loc[table[level] == node, 0])) for level in table for node in set(table[level])
        }
    begun = time.perf_counter()
    released = k_anonymity(frame, [], quasi, options["k"], 100 * options.get("suppressed", 0.0), levels)
    seconds = time.perf_counter() - begun
    for name in quasi:
        if name == "age":
            released[name] = released[name].map(lambda node, of=leaves[name]: span(of[node]))
        else:
            released[name] = released[name].map(lambda node, of=leaves[name]: "|".join(of[node]))
    released[frame.columns].to_csv(target, index=False)
    print(json.dumps({"seconds": seconds}))


def span(ages: list) -> str:
    low, high = min(map(int, ages)), max(map(int, ages))
    return str(low) if low == high else f"{low}..{high}"


if __name__ == "__main__":
    main()
