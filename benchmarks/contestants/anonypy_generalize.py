"""anonypy's Mondrian: a CSV in, one row per record out, cells as `a..b` or `x|y`."""

import re

import anonypy
import pandas as pd
from _play import asked, play


def cell(value: object) -> str:
    text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
    return re.sub(r"^(-?\d+)-(-?\d+)$", r"\1..\2", text).replace(",", "|")


def main() -> None:
    source, target, options = asked()
    frame = pd.read_csv(source)
    quasi, sensitive = list(frame.columns[:-1]), frame.columns[-1]
    for name in frame.columns:
        if frame[name].dtype == object:
            frame[name] = frame[name].astype("category")
    rows = play(lambda: anonypy.Preserver(frame, quasi, sensitive).anonymize_k_anonymity(k=options["k"]))
    released = pd.DataFrame(rows)
    released = released.loc[released.index.repeat(released["count"])].drop(columns="count")
    for name in quasi:
        released[name] = released[name].map(cell)
    released.to_csv(target, index=False)


if __name__ == "__main__":
    main()
