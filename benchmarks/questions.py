"""Singling out, linkability and inference on Adult: the original, releases of Shoal, other methods, synthetic rows.

    python -m benchmarks.questions [--people N] [--write] [--json FILE]

Half of Adult is split off as control (seed 0), the other half is released. Quasi-identifiers: sex, age, race, marital
status, education, country, work class; sensitive: occupation; other: salary class, both published as they are. With
--write, the tables of docs/attacks.md are written.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import shoal
from benchmarks.data import ADULT_QUASI, SHARED, people
from benchmarks.process import ROOT
from shoal.measure import Attacks, Question
from shoal.secret import Secret

QUASI = [name for name in ADULT_QUASI if name != "occupation"]
RARE = dict.fromkeys(ADULT_QUASI, True)
ASKED: dict[str, Any] = {"quasi": QUASI, "sensitive": "occupation", "other": "salary-class", "publish_rare": RARE}
PAGE = ROOT / "docs" / "attacks.md"
COLUMNS = (
    ("singling out", "singling out", "published", None),
    ("linkability", "linkability", "published", None),
    ("occupation, from quasi-identifiers", "inference", "quasi", "occupation"),
    ("occupation, from all others", "inference", "published", "occupation"),
    ("salary class, from all others", "inference", "published", "salary-class"),
)
FIRST = ("the original itself", "Shoal, k = 5", "Shoal, k = 5, l = 2, t = 0.2", "synthetic rows of Shoal, k = 5",
         "every column shuffled")  # fmt: skip


def halves() -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the half that is released and the half that is not."""
    source = SHARED / "adult" / "adult.csv"
    table = pl.read_csv(source, separator=";") if source.exists() else people(30_162)
    order = np.random.default_rng(0).permutation(len(table))
    return table[order[: len(table) // 2]], table[order[len(table) // 2 :]]


def released(table: pl.DataFrame, **settings: Any) -> tuple[pl.DataFrame, Any, float | None]:
    """Return a release, its policy and its information loss."""
    made = shoal.anonymize(table, secret=Secret(bytes(32)), **(ASKED | {"k": 5} | settings))
    return made.table, made.policy, made.loss.gcp


def synthetic(table: pl.DataFrame) -> tuple[pl.DataFrame, Any, float | None]:
    made = shoal.anonymize(table, secret=Secret(bytes(32)), k=5, synthetic="marginals", **ASKED)
    assert made.synthetic is not None
    return made.synthetic, made.policy.model_copy(update={"k": 2}), None


def shuffled(table: pl.DataFrame) -> tuple[pl.DataFrame, Any, float | None]:
    """Return a table with the columns of the original, each in an order of its own."""
    chance = np.random.default_rng(1)
    made = table.select(table[name][chance.permutation(len(table))] for name in table.columns)
    return made, {"k": 2, **_columns()}, None


def _columns() -> dict[str, Any]:
    roles = dict.fromkeys(QUASI, "quasi") | {"occupation": "sensitive", "salary-class": "other"}
    return {"columns": {name: {"role": role, "kind": "number" if name == "age" else "label"}
                        for name, role in roles.items()}}  # fmt: skip


def releases() -> Iterator[tuple[str, Callable[[pl.DataFrame], tuple[pl.DataFrame, Any, float | None]]]]:
    """Yield the name of every table that is attacked, and what makes it."""
    yield FIRST[0], lambda table: (table, {"k": 2, **_columns()}, 0.0)
    yield FIRST[1], released
    yield FIRST[2], lambda table: released(table, l=2, t=0.2)
    yield FIRST[3], synthetic
    yield FIRST[4], shuffled
    yield "Shoal, k = 10", lambda table: released(table, k=10)
    yield "Shoal, k = 20", lambda table: released(table, k=20)
    yield "Shoal, k = 5, l = 2", lambda table: released(table, l=2)
    yield "Shoal, k = 5, ages to fives", lambda table: released(table, round_ranges={"age": 5})
    yield "Mondrian, k = 5", lambda table: released(table, method="mondrian")
    yield "means and modes, k = 5", lambda table: released(table, publication="aggregate")
    yield "full-domain, k = 5", _full_domain
    yield "suppressed cells, k = 5", lambda table: released(table, publication="suppress")
    yield (
        "salary class a quasi-identifier, k = 5",
        lambda table: released(table, quasi=[*QUASI, "salary-class"], other=None),
    )
    yield (
        "both quasi-identifiers, k = 5",
        lambda table: released(table, quasi=[*QUASI, "occupation", "salary-class"], sensitive=None, other=None),
    )


def _full_domain(table: pl.DataFrame) -> tuple[pl.DataFrame, Any, float | None]:
    folder = SHARED / "adult"
    if not folder.exists():
        return released(table, method="full-domain", max_suppressed=0.02)
    nodes = {name: {"file": str(folder / f"adult_hierarchy_{name}.csv")} for name in QUASI}
    return released(table, method="full-domain", max_suppressed=0.02, hierarchy=nodes)


def answer(found: Attacks, name: str, known: str, column: str | None) -> Question | None:
    assert found.questions is not None
    wanted = [one for one in found.questions.answers if one.name == name and one.column == column]
    return next((one for one in wanted if one.known == known), wanted[0] if wanted else None)


def shown(one: Question | None) -> str:
    if one is None or one.risk is None:
        return "–"
    return f"{one.risk:.1%} ({one.risk_low:.1%} to {one.risk_high:.1%})"


def lines(kept: dict[str, dict[str, Any]], names: list[str]) -> list[str]:
    header = ["table", "NCP", "rows unlike all others", *(title for title, *_ in COLUMNS)]
    rows = ["| " + " | ".join(header) + " |", "|---|--:|--:" + "|--:" * len(COLUMNS) + "|"]
    for name in names:
        one = kept[name]
        loss = "–" if one["loss"] is None else f"{one['loss']:.1%}"
        cells = [name, loss, f"{one['unique']:.1%}", *(one[title] for title, *_ in COLUMNS)]
        rows.append("| " + " | ".join(cells) + " |")
    return rows


def write(kept: dict[str, dict[str, Any]]) -> None:
    """Write the tables of the page between their marks."""
    text = PAGE.read_text(encoding="utf-8")
    for mark, names in (("questions", list(FIRST)), ("lower", [name for name in kept if name not in FIRST[2:]])):
        begin, rest = text.split(f"<!-- {mark} -->\n", 1)
        end = rest.split("<!-- end -->", 1)[1]
        text = f"{begin}<!-- {mark} -->\n" + "\n".join(lines(kept, names)) + f"\n<!-- end -->{end}"
    PAGE.write_text(text, encoding="utf-8")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--people", type=int, default=2_000, help="attacks for each question")
    asked.add_argument("--write", action="store_true", help="write the tables of the page")
    asked.add_argument("--json", type=Path, help="where to write all numbers")
    given = asked.parse_args()
    table, control = halves()
    kept: dict[str, dict[str, Any]] = {}
    for name, make in releases():
        release, policy, loss = make(table)
        begun = time.process_time()
        found = shoal.attack(table, release, policy, control=control, people=given.people)
        seconds = time.process_time() - begun
        assert found.questions is not None
        kept[name] = {
            "loss": loss,
            "unique": found.singled.unique / max(found.singled.rows, 1),
            "isolated": found.singled.isolated / max(found.singled.tried, 1),
            **{title: shown(answer(found, *which)) for title, *which in COLUMNS},
            "answers": [one.to_dict() for one in found.questions.answers],
            "seconds": round(seconds, 1),
        }
        print(name, kept[name] | {"answers": ...}, flush=True)
    if given.write:
        write(kept)
    if given.json is not None:
        given.json.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
