"""Our three questions beside those of anonymeter, on tables that anonymeter can read: plain values and no ranges.

    python -m benchmarks.yardstick [--people N] [--write] [--json FILE]

anonymeter runs in an environment of its own. Half of Adult is split off as control, as in `benchmarks.questions`.
Both attack the same tables with as many attempts; descriptions have as many columns, lists the same columns, and
inferences the same secret. anonymeter counts only descriptions that fit exactly one released row, and takes numbers
for limits; so for singling out ours are counted in the same way here, beside the share of all descriptions that
`shoal attack` reports. With --write, the table of docs/attacks.md is written.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import shoal
from benchmarks.environments import python_of, version_of
from benchmarks.process import ROOT
from benchmarks.questions import PAGE, QUASI, answer, halves, released, releases, shuffled, synthetic
from shoal.clock import Clock
from shoal.measure import Attacks, Question
from shoal.measure.column_views import trees_of
from shoal.measure.questions.columns import NumberColumn
from shoal.measure.questions.intervals import rate_of
from shoal.measure.questions.read import read_attacked
from shoal.measure.questions.singling_out import SIZES
from shoal.measure.questions.singling_out import _Seen as Seen
from shoal.measure.questions.trial import question
from shoal.measure.released_table import read_release
from shoal.pipeline.control import control_rows
from shoal.pipeline.inputs import read_source, resolve_roles
from shoal.policy.keywords import as_policy
from shoal.roles import compared

PEER, MARK = "anonymeter", "yardstick"
LABELS = [*(name for name in QUASI if name != "age"), "occupation", "salary-class"]
MOST_TRIES = 200_000  # descriptions that are made until enough of them fit one released row
TABLES = {
    "the original itself": dict(releases())["the original itself"],
    "means and modes, k = 5": lambda table: released(table, publication="aggregate"),
    "synthetic rows of Shoal, k = 5": synthetic,
    "every column shuffled": shuffled,
}
ASKED = (
    ("singling out", None),
    ("linkability", None),
    ("inference", "occupation"),
    ("inference", "salary-class"),
)


def theirs(table: pl.DataFrame, control: pl.DataFrame, made: pl.DataFrame, found: Attacks, people: int) -> list[Any]:
    """Return what anonymeter answers to the questions as we have asked them."""
    order = [*QUASI, "occupation", "salary-class"]
    questions = [_asked(answer(found, name, "published", column), order) for name, column in ASKED]
    with tempfile.TemporaryDirectory() as folder:
        for name, frame in (("original", table), ("control", control), ("released", made)):
            frame.select(order).write_csv(Path(folder) / f"{name}.csv")
        options = {"labels": LABELS, "numbers": ["age"], "attacks": people, "questions": questions}
        worker = ROOT / "benchmarks" / "contestants" / "anonymeter_questions.py"
        done = subprocess.run(
            [python_of(PEER), worker, folder, "", json.dumps(options)], check=True, capture_output=True, text=True
        )
    told: list[Any] = json.loads(done.stdout.splitlines()[-1])["answer"]
    return told


def _asked(one: Question | None, order: list[str]) -> dict[str, Any]:
    """Return one of our questions in the words of the worker."""
    assert one is not None
    if one.name == "singling out":  # anonymeter takes all columns or any number of them
        return {"name": one.name, "n_cols": min(int(one.how.split()[0]), len(order), max(SIZES))}
    if one.name == "linkability":
        return {"name": one.name, "parts": [part.split(", ") for part in one.how.split(" with ")]}
    return {"name": one.name, "column": one.column}


def picked(
    table: pl.DataFrame, control: pl.DataFrame, made: pl.DataFrame, policy: Any, size: int, people: int
) -> Question:
    """Return singling out as anonymeter counts it: by descriptions that fit exactly one released row."""
    asked, resolved = resolve_roles(read_source(table, (wanted := as_policy(policy, {})), Clock()), wanted, Clock())
    original, others = compared(asked, resolved), control_rows(read_source(control, wanted, Clock()), wanted)
    read = read_release(made, original, resolved)
    attacked = read_attacked(read, made, original, others, resolved, trees_of(original, resolved), {})
    chance, seen = np.random.default_rng(0), Seen(attacked)
    n_rows = len(attacked.columns[0].of_row)
    here, there = [], []
    for _ in range(MOST_TRIES):
        row = int(chance.integers(n_rows))
        some = [attacked.columns[place] for place in chance.choice(len(attacked.columns), size, replace=False)]
        cells = [int(column.of_row[row]) for column in some]
        if sum(map(bool, np.logical_and.reduce([_alike(*pair) for pair in zip(some, cells, strict=True)]))) == 1:
            one, other = seen.fitting(some, cells, beyond=True)
            here.append(float(one == 1))
            there.append(float(other == 1))
        if len(here) == people:
            break
    rates = [rate_of(np.array(scores)) for scores in (here, there)]
    return question("singling out", "published", f"{size} columns of a row", rates[0], 0.0, rates[1])


def _alike(column: Any, cell: int) -> Any:
    """Return which released rows fit a description made of one cell."""
    if not isinstance(column, NumberColumn):
        return column.of_row == cell
    values, value = column.low[column.of_row], column.low[cell]
    return values >= value if value > column.middle else values <= value


def agree(one: Question, other: dict[str, Any]) -> bool | None:
    """Return whether the intervals of both risks have a point in common; None if one of them is not there."""
    if one.risk is None or one.risk_low is None or one.risk_high is None or "risk" not in other:
        return None
    return bool(max(one.risk_low, other["risk"][1]) <= min(one.risk_high, other["risk"][2]) + 1e-9)


def lines(kept: list[dict[str, Any]]) -> list[str]:
    rows = [
        "| table | question | ours: success, control | ours: risk | anonymeter: success, control | anonymeter: risk "
        "| intervals |",
        "|---|---|--:|--:|--:|--:|---|",
    ]
    words = {True: "overlap", False: "**differ**", None: "–"}
    for one in kept:
        cells = [one["table"], one["question"], *one["ours"], *one["theirs"], words[one["agree"]]]
        rows.append("| " + " | ".join(cells) + " |")
    return rows


def _ours(one: Question) -> tuple[str, str]:
    control = "–" if one.control is None else f"{one.control.rate:.1%}"
    risk = "–" if one.risk is None else f"{one.risk:.1%} ({one.risk_low:.1%} to {one.risk_high:.1%})"
    return f"{one.success.rate:.1%}, {control}", risk


def _theirs(other: dict[str, Any]) -> tuple[str, str]:
    if "risk" not in other:
        return "–", f"refused: {other['refused']}"
    value, low, high = other["risk"]
    rates = f"{other['success'][0]:.1%}, {other['control'][0]:.1%}"
    return rates, f"{value:.1%} ({low:.1%} to {high:.1%})"


def write(kept: list[dict[str, Any]]) -> None:
    """Write the table of the page between its marks."""
    text = PAGE.read_text(encoding="utf-8")
    begin, rest = text.split(f"<!-- {MARK} -->\n", 1)
    end = rest.split("<!-- end -->", 1)[1]
    PAGE.write_text(f"{begin}<!-- {MARK} -->\n" + "\n".join(lines(kept)) + f"\n<!-- end -->{end}", encoding="utf-8")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--people", type=int, default=2_000, help="attacks for each question")
    asked.add_argument("--write", action="store_true", help="write the table of the page")
    asked.add_argument("--json", type=Path, help="where to write all numbers")
    given = asked.parse_args()
    table, control = halves()
    kept: list[dict[str, Any]] = []
    print(PEER, version_of(PEER), flush=True)
    for name, make in TABLES.items():
        made, policy, _ = make(table)
        found = shoal.attack(table, made, policy, control=control, people=given.people)
        for (asked_for, column), other in zip(ASKED, theirs(table, control, made, found, given.people), strict=True):
            one = answer(found, asked_for, "published", column)
            assert one is not None
            title = asked_for if column is None else f"{asked_for} of {column}"
            if asked_for == "singling out":
                size = _asked(one, [*QUASI, "occupation", "salary-class"])["n_cols"]
                one = picked(table, control, made, policy, size, given.people)
                title = f"singling out, {size} columns"
            row = {"table": name, "question": title, "ours": _ours(one), "theirs": _theirs(other)}
            kept.append({**row, "agree": agree(one, other), "numbers": {"ours": one.to_dict(), "theirs": other}})
            print(*row.values(), kept[-1]["agree"], flush=True)
    if given.write:
        write(kept)
    if given.json is not None:
        given.json.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
