"""Shoal on a mixed table: a CSV in, one row per record out, cells as `a..b` or `x|y`, or nodes of hierarchies."""

import polars as pl
from _play import asked, play

import shoal


def main() -> None:
    source, target, options = asked()
    frame = pl.read_csv(source)
    quasi, sensitive = frame.columns[:-1], frame.columns[-1]
    settings = {"quasi": quasi, "sensitive": [sensitive], "publish_rare": quasi, "seed": 1, "k": options["k"]}
    settings |= {name: options[name] for name in ("effort", "method", "time_limit") if name in options}
    folder = options.get("hierarchies")
    if folder:
        settings["hierarchy"] = {name: f"{folder}/adult_hierarchy_{name}.csv" for name in quasi}
    release = play(
        lambda: shoal.anonymize(frame, **settings), lambda: shoal.anonymize(frame[:2000], **settings | {"effort": 1})
    )
    cells = [
        pl.col(name).cast(pl.String).str.strip_chars("[]{}").str.replace_all(", ", ".." if name == "age" else "|")
        for name in quasi
    ]
    (release.table if folder else release.table.with_columns(cells)).write_csv(target)


if __name__ == "__main__":
    main()
