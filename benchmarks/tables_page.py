"""docs/benchmarks-tables.md, written from one run's results: everything that was measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks import charts, scaling, verdicts
from benchmarks.papers import PAPERS
from benchmarks.scaling import TASKS

Row = dict[str, Any]
HEAD = """# All tables of the benchmarks

What stands behind [the page on benchmarks](benchmarks.md), from the same run: commit `{commit}`,
{machine}{quick}{minutes}. Both pages are written by `make bench`; nothing is edited by hand.

Seconds are of the work alone: starting Python and compiling are apart. Ratios of times are taken turn by turn; the
spread is the smallest and the largest of them. Memory is the peak of the whole process. *Meets k* was counted twice
on every output, by a `GROUP BY` in SQLite and by `shoal verify`, and both must say so.
"""


def text(results: Row, docs: Path) -> str:
    """The page of a run; its charts are written beside it."""
    minutes = results.get("minutes")
    head = HEAD.format(
        commit=results["commit"],
        machine=results["machine"],
        quick=", quick run" * results["quick"],
        minutes=f", {minutes:.0f} minutes in all" if minutes else "",
    )
    parts = [head, _targets(results), *_side_by_side(results), *_papers(results), *_growth(results, docs)]
    parts += [*_profile(results, docs), *_waits(results), REPEAT]
    return "\n".join(part.rstrip("\n") + "\n" for part in parts if part)


REPEAT = """## Run it yourself

| | |
|---|---|
| `make bench` | all of it; writes both pages and keeps the numbers under `benchmarks/history`, by machine and commit |
| `make bench-quick` | the same on smaller inputs |
| `python -m benchmarks --only Adult` | only the contests whose name has this text, nothing written |
| `make bench-compare REV=main~5` | this commit beside another: times, memory, loss; its steps are timed by pytest-benchmark if they are not kept |
| `shoal papers mst --html mst.html` | one paper's experiments with charts; also `names`, `gather`, `cellular`, `diversity`, `generalization` |
"""  # noqa: E501


def _targets(results: Row) -> str:
    """Losses that Shoal set itself, and what came of them."""
    rows = [row for row in results["lines"] if row["target"] is not None and row["loss"] is not None]
    if not rows:
        return ""
    text = "## Losses that Shoal must stay under\n\n| | at most | measured | |\n|---|---|---|---|\n"
    for row in rows:
        kept = "kept" if row["loss"] <= row["target"] else "**missed**"
        text += f"| {row['contest']}, {row['contestant']} | {row['target']:g} | {row['loss']:.4f} | {kept} |\n"
    return text


def _side_by_side(results: Row) -> list[str]:
    parts = ["## Side by side\n"]
    for contest, rows in verdicts.contests(results):
        name, what = contest["name"], contest["what"]
        loss = f" Loss is {contest['loss']}." if contest["loss"] else ""
        parts.append(f"### {name[0].upper()}{name[1:]}\n\n{what[0].upper()}{what[1:]}.{loss}\n")
        parts.append(_table(rows) if rows else "This contest could not be played.\n")
        said = [one.text for one in verdicts.outcomes(rows)]
        parts.append(" ".join(said) + "\n" if said else "")
    return parts


def _table(rows: list[Row]) -> str:
    text = "| | seconds | times (spread) | peak MB | times | loss | times | meets k |\n" + "|---" * 8 + "|\n"
    for row in rows:
        name = f"{row['contestant']} {row['version']}"
        if not row["seconds"]:
            text += f"| {name} | {row['note']} | | | | | | |\n"
            continue
        times = row["times"]
        spread = "" if times is None else f"{times['middle']:.3g}"
        if times is not None and times["count"] > 1:
            spread += f" ({times['least']:.3g} to {times['most']:.3g})"
        meets = row["note"]
        if row["meets"] is not None:
            meets = f"{'yes' if row['meets'] else '**no**'}: {row['by_sql']:,} by SQL, {row['by_verify']:,} by verify"
        cells = (
            name,
            f"{row['seconds']['middle']:.3g}",
            spread,
            f"{row['peak_mb']:.0f}",
            "" if row["memory"] is None else f"{row['memory']:.2g}",
            "" if row["loss"] is None else f"{row['loss']:.5g}",
            "" if row["losses"] is None else f"{row['losses']:.4g}",
            meets,
        )
        text += f"| {' | '.join(cells)} |\n"
    return text


def _papers(results: Row) -> list[str]:
    if not results.get("papers"):
        return []
    text = (
        "## The papers\n\n`shoal papers` repeats each paper's experiments, or measures the ratio seen beside the one "
        "proved where a paper prints none; the ratio seen is against a lower bound, so the true one is smaller.\n"
    )
    for paper, title in PAPERS.items():
        rows = [row for row in results["papers"] if row["paper"] == paper]
        took = results.get("paper_seconds", {}).get(paper)
        text += f"\n### {title}\n\n`shoal papers {paper}`{f', {took:.0f} s' if took else ''}.\n\n"
        text += "| | the paper | here |\n|---|---|---|\n"
        text += "".join(f"| {row['what']} | {row['theirs']} | {row['ours']} |\n" for row in rows)
    return [text]


def _growth(results: Row, docs: Path) -> list[str]:
    measures = [scaling.Measure(**row) for row in results.get("measures", [])]
    timed = [one for one in measures if one.seconds]
    if not timed:
        return []
    most = max(one.cores for one in timed)
    curves = {
        task: [(float(m.n), float(m.seconds or 0)) for m in timed if (m.task, m.sweep, m.cores) == (task, "n", most)]
        for task in TASKS
    }
    picture = charts.growth({task: points for task, points in curves.items() if len(points) > 1})
    (docs / "images" / "benchmarks-growth.svg").write_text(picture, encoding="utf-8")
    text = (
        "## How it grows\n\n![Seconds by number of records](images/benchmarks-growth.svg)\n\n"
        + "\n".join(f"- *{task}*: {said}" for task, said in TASKS.items())
        + "\n\nSeconds grow as a power of the records, of the columns d, or of the group size k; the "
        "interval holds the power with 95 % confidence. What would have taken too long was not run.\n\n"
        "| | grows with | cores | power | 95 % interval | sizes | from n = | bytes per record |\n"
        + "|---" * 8
        + "|\n"
    )
    for row in results["exponents"]:
        memory = "" if row["bytes_per_record"] is None else f"{row['bytes_per_record']:,.0f}"
        interval = f"{row['low']:.2f} to {row['high']:.2f}"
        cells = (row["task"], row["sweep"], row["cores"], f"{row['slope']:.2f}", interval, row["count"])
        text += f"| {' | '.join(map(str, cells))} | {row['from_n']:,} | {memory} |\n"
    text += f"\n**One core and {most}.** "
    text += ", ".join(f"{task} {times:.2f}" for task, _, times in scaling.speedups(measures))
    text += " times as fast on all cores, each at the largest n that both finished.\n"
    return [text, _measures(timed)]


def _measures(timed: list[scaling.Measure]) -> str:
    text = (
        "### All sizes\n\n| | grows with | n | d | k | cores | seconds | CPU seconds | peak MB |\n"
        + "|---" * 9
        + "|\n"
    )
    for one in timed:
        cells = (one.task, one.sweep, f"{one.n:,}", one.d, f"{one.k:,}", one.cores, f"{one.seconds:.3g}")
        text += f"| {' | '.join(map(str, cells))} | {one.cpu or 0:.3g} | {one.peak_mb or 0:.0f} |\n"
    return text


def _profile(results: Row, docs: Path) -> list[str]:
    rows = results.get("profiles")
    if not rows:
        return []
    drawn = [(row["name"], row["seconds"], row["floor"] or 0.0) for row in rows]
    (docs / "images" / "benchmarks-steps.svg").write_text(charts.steps(drawn), encoding="utf-8")
    text = (
        "## Where the time goes\n\n![Seconds of each step](images/benchmarks-steps.svg)\n\nAdult"
        f"{'' if results['quick'] else ', a million rows,'} from the file to the written, verified release, k = 5. "
        "The least is what the machine itself allows, measured in the same minute: the speed of its disk and of its "
        "memory. It is a floor, not a goal: no method searches, checks and writes text at the speed of memory.\n\n"
        "| step | seconds | the least | times the least | which is |\n|---|---|---|---|---|\n"
    )
    for row in rows:
        least = f"{row['floor']:.2g} | {row['seconds'] / row['floor']:,.0f}" if row["floor"] else " | "
        text += f"| {row['name']} | {row['seconds']:.3f} | {least} | {row['limit']} |\n"
    return [text]


def _waits(results: Row) -> list[str]:
    if not results.get("waits"):
        return []
    text = (
        "## What a user waits for\n\nWhole processes, start-up included; the fastest of several runs.\n\n"
        "| | seconds | peak MB |\n|---|---|---|\n"
    )
    text += "".join(f"| {row['name']} | {row['seconds']:.3g} | {row['peak_mb']:.0f} |\n" for row in results["waits"])
    return [text]
