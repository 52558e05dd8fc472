"""docs/benchmarks.md, written from one run's results: what Shoal wins, and what it loses at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"
HEAD = """# Benchmarks

This page is written by `make bench` (`make bench-quick` for smaller inputs); anyone can repeat it. Peers run in
environments of their own, on the same data, in turns with Shoal. Seconds are of the work alone, start-up and
compilation apart; the spread is the fastest and the slowest run. "Meets k" was counted twice on each output, by SQL
and by `shoal verify`.

Commit `{commit}`, {machine}{quick}.
"""


def write(results: dict[str, Any]) -> Path:
    """The page of a run."""
    parts = [
        HEAD.format(commit=results["commit"], machine=results["machine"], quick=results["quick"] * ", quick run")
    ]
    lines = results["lines"]
    names = list(dict.fromkeys(line["contest"] for line in lines))
    lost = []
    parts.append("## Side by side\n")
    for name in names:
        rows = [line for line in lines if line["contest"] == name]
        parts.append(f"### {name[0].upper()}{name[1:]}\n\n{rows[0]['what'][0].upper()}{rows[0]['what'][1:]}.\n")
        parts.append(_contest(rows))
        lost += _lost(rows)
    parts.append("## What Shoal loses at\n")
    parts.append("\n".join(f"- {text}" for text in lost) + "\n" if lost else "Nothing in this run.\n")
    if results.get("waits"):
        parts.append("## What a user waits for\n\nWhole processes, start-up included; the fastest of several runs.\n")
        rows = [f"| {row['name']} | {_short(row['seconds'])} | {row['peak_mb']:.0f} |" for row in results["waits"]]
        parts.append("\n".join(["| | seconds | peak MB |", "|---|---|---|", *rows]) + "\n")
    if results.get("exponents"):
        parts.append(_growth(results))
    if results.get("profiles"):
        parts.append(_profile(results["profiles"]))
    PAGE.write_text("\n".join(parts), encoding="utf-8")
    return PAGE


def _contest(rows: list[dict[str, Any]]) -> str:
    first = rows[0]
    text = "| | seconds | spread | x Shoal | peak MB | loss | meets k | |\n|---|---|---|---|---|---|---|---|\n"
    for row in rows:
        if row["seconds"] is None:
            text += f"| {row['contestant']} {row['version']} | | | | | | | {row['note']} |\n"
            continue
        ratio = row["seconds"] / first["seconds"] if first["seconds"] else float("nan")
        meets = {True: "yes", False: "**no**", None: ""}[row["meets"]]
        text += (
            f"| {row['contestant']} {row['version']} | {_short(row['seconds'])} | "
            f"{_short(row['least'])} to {_short(row['most'])} | {ratio:.2g} | {row['peak_mb']:.0f} | "
            f"{'' if row['loss'] is None else format(row['loss'], '.5g')} | {meets} | {row['note']} |\n"
        )
    return text


def _short(seconds: float) -> str:
    return f"{seconds:.3g}"


def _lost(rows: list[dict[str, Any]]) -> list[str]:
    """Where a peer that meets k was faster at no more loss, or lost less."""
    ours, found = [row for row in rows if row["contestant"].startswith("Shoal") and row["seconds"] is not None], []
    for row in rows:
        if row["contestant"].startswith("Shoal") or row["seconds"] is None or row["meets"] is False:
            continue
        for own in ours:
            close = row["loss"] is None or own["loss"] is None or own["loss"] <= row["loss"] * (1 + 1e-9)
            if close and own["seconds"] <= row["seconds"]:
                break
        else:
            found.append(
                f"{row['contest']}: {row['contestant']} was faster, or lost less, than each of Shoal's methods."
            )
    return found


def _growth(results: dict[str, Any]) -> str:
    text = "## How it grows\n\n| | exponent of n | 90 % interval | bytes per record |\n|---|---|---|---|\n"
    for row in results["exponents"]:
        interval = "" if row["low"] != row["low"] else f"{row['low']:.2f} to {row['high']:.2f}"
        text += f"| {row['task']} | {row['slope']:.2f} | {interval} | {row['bytes_per_record']:.0f} |\n"
    text += "\n| | n | d | k | threads | seconds | CPU seconds | peak MB |\n|---|---|---|---|---|---|---|---|\n"
    for row in results["measures"]:
        size = f"| {row['task']} | {row['n']:,} | {row['d']} | {row['k']} | {row['threads']} |"
        if row["seconds"] is None:
            text += f"{size} not in time | | |\n"
        else:
            text += f"{size} {_short(row['seconds'])} | {_short(row['cpu'])} | {row['peak_mb']:.0f} |\n"
    return text


def _profile(steps: list[dict[str, Any]]) -> str:
    text = (
        "\n## Where the time goes\n\nThe mixed table from file to release. The floor is the least a step could take: "
        "the file's bytes read or written, distances at the speed of memory, one count of the groups.\n\n"
        "| step | seconds | floor | x floor |\n|---|---|---|---|\n"
    )
    for step in steps:
        name = f"&nbsp;&nbsp;{step['name']}" if step["inner"] else step["name"]
        floor = step["floor"]
        ratio = f"{floor:.4f} | {step['seconds'] / floor:.0f}" if floor else " | "
        text += f"| {name} | {step['seconds']:.3f} | {ratio} |\n"
    return text
