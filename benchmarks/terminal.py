"""A run's results in the terminal."""

from __future__ import annotations

from typing import Any

from benchmarks.verdicts import outcomes


def show(found: dict[str, Any]) -> None:
    """Contest by contest, then the rest."""
    for contest in found["contests"]:
        rows = [line for line in found["lines"] if line["contest"] == contest["name"]]
        print(f"\n{contest['name']}: {contest['what']}{', loss is ' + contest['loss'] if contest['loss'] else ''}")
        for row in rows:
            print(f"  {row['contestant']:28} {line_of(row)}")
        for outcome in outcomes(rows):
            print(f"  -> {outcome.kind}: {outcome.text}")
    for row in found.get("waits", []):
        print(f"{row['name']:60} {row['seconds']:9.3f} s {row['peak_mb']:7.0f} MB")
    for row in found.get("exponents", []):
        memory = "" if row["bytes_per_record"] is None else f", {row['bytes_per_record']:.0f} bytes a record"
        print(
            f"{row['task']:12} {row['cores']} cores: seconds grow as {row['sweep']}^{row['slope']:.2f} "
            f"({row['low']:.2f} to {row['high']:.2f}, {row['count']} sizes){memory}"
        )
    for row in found.get("profiles", []):
        over = f", {row['seconds'] / row['floor']:.0f} times the least" if row["floor"] else ""
        print(f"step {row['name']:12} {row['seconds']:8.3f} s{over}")
    for row in found.get("papers", []):
        print(f"{row['paper']:14} {row['what']}: {row['theirs']} | {row['ours']}")


def line_of(row: dict[str, Any]) -> str:
    """Seconds, ratios with their spread, memory, loss, and whether both counts meet k."""
    if not row["seconds"]:
        return str(row["note"])
    text = f"{row['seconds']['middle']:9.4g} s"
    if row["times"]:
        text += f"  x {row['times']['middle']:.3g} ({row['times']['least']:.3g} to {row['times']['most']:.3g})"
    text += f"  {row['peak_mb']:.0f} MB x {row['memory'] or 1:.2g}"
    if row["loss"] is not None:
        text += f"  loss {row['loss']:.5g} x {row['losses'] or 1:.4g}"
    if row["target"] is not None:
        text += f" (at most {row['target']:g})"
    if row["meets"] is not None:
        text += f"  {'meets k' if row['meets'] else 'MISSES k'} (SQL {row['by_sql']}, verify {row['by_verify']})"
    return f"{text} {row['note']}".rstrip()
