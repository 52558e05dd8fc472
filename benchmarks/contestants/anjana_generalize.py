"""anjana's full-domain generalization with the hierarchies given; nodes of a hierarchy as its cells."""

from pathlib import Path

import pandas as pd
from _play import asked, play
from anjana.anonymity import k_anonymity


def main() -> None:
    source, target, options = asked()
    frame = pd.read_csv(source, dtype=str)
    quasi = list(frame.columns[:-1])
    levels = {}
    for name in quasi:
        file = Path(options["hierarchies"]) / f"adult_hierarchy_{name}.csv"
        table = pd.read_csv(file, sep=";", header=None, dtype=str)
        table = table[table[0].isin(frame[name].unique())]
        levels[name] = {level: table[level].to_numpy() for level in range(table.shape[1])}
    released = play(lambda: k_anonymity(frame, [], quasi, options["k"], 0.0, levels))
    released[frame.columns].to_csv(target, index=False)


if __name__ == "__main__":
    main()
