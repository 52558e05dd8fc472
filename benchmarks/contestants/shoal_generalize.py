"""Shoal's default on a mixed table: a CSV in, one row per record out, cells as `a..b` or `x|y`."""

import json
import sys
import time

import polars as pl

import shoal


def main() -> None:
    source, target, options = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    frame = pl.read_csv(source)
    sensitive = frame.columns[-1]
    asked = {"k": options["k"], "quasi": frame.columns[:-1], "sensitive": [sensitive], "seed": 1}
    asked |= options.get("asked", {})
    shoal.anonymize(frame[:2000], **asked)
    begun = time.perf_counter()
    release = shoal.anonymize(frame, **asked)
    seconds = time.perf_counter() - begun
    cells = [
        pl.col(name).cast(pl.String).str.strip_chars("[]{}").str.replace_all(", ", ".." if name == "age" else "|")
        for name in frame.columns[:-1]
    ]
    release.table.with_columns(cells).write_csv(target)
    print(json.dumps({"seconds": seconds}))


if __name__ == "__main__":
    main()
