"""Run every attacker on larger tables: `python -m tests.attacks` writes docs/evidence/attacks.json and the tables of
docs/attacks.md.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import shoal
from tests.attacks import downcoding
from tests.attacks.intersection import intersect
from tests.attacks.minimality import Sure, beliefs, sure_of
from tests.attacks.outcome import Outcome, outcome
from tests.attacks.page import with_tables
from tests.attacks.reading import Seen
from tests.attacks.suite import attacks
from tests.attacks.tables import ROLES, adult, people, tied
from tests.attacks.truth import own_classes

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "data"
CASES: list[dict[str, Any]] = [
    {"method": "best", "publication": "aggregate", "k": 5},
    {"method": "best", "publication": "aggregate", "k": 5, "l": 3},
    {"method": "forest", "publication": "generalize", "k": 5},
    {"method": "forest", "publication": "generalize", "k": 5, "l": 3},
    {"method": "forest", "publication": "generalize", "k": 5, "t": 0.4},
    {"method": "forest", "publication": "suppress", "k": 3},
    {"method": "mondrian", "publication": "generalize", "k": 5},
    {"method": "mondrian", "publication": "generalize", "k": 4, "l": 3},
    {"method": "mdav", "publication": "generalize", "k": 3, "l": 2, "max_suppressed": 0.05},
    {"method": "mst", "publication": "aggregate", "k": 4, "l": 3},
    {"method": "gather", "publication": "centers", "k": 5},
    {"method": "cellular", "publication": "centers", "k": 5, "l": 2},
]
ADULT = {
    "quasi": ["sex", "age", "race", "marital-status", "education"],
    "sensitive": ["occupation"],
    "identifier": ["native-country", "workclass", "salary-class"],
}


def single(n: int) -> Iterator[Outcome]:
    """One release at a time."""
    tables = [("people", people(n, 1, missing=0.01), ROLES, "illness"), ("tied", tied(n, 2), ROLES, "illness")]
    if SHARED.is_dir():
        tables.append(("Adult", adult(SHARED, n), ADULT, "occupation"))
    for name, table, roles, sensitive in tables:
        for case in CASES:
            release = shoal.anonymize(table, effort=20, **roles, **case)
            on = f"{name}, {' '.join(str(part) for part in case.values())}"
            yield from attacks(release, table, on, sensitive=sensitive)


def undone(n: int) -> Iterator[Outcome]:
    """Downcoding of ranges, of hierarchies and of means."""
    for method, form, steps in (
        ("forest", "generalize", False),
        ("mondrian", "generalize", False),
        ("forest", "generalize", True),
        ("full-domain", "generalize", True),
        ("best", "aggregate", False),
    ):
        table = people(n, 3).select("name", "age", "income", "illness")
        hierarchy = {"age": {"widths": [5, 10, 20, 40]}, "income": {"widths": [20_000, 80_000]}} if steps else {}
        roles = {"identifier": ["name"], "quasi": ["age", "income"], "sensitive": ["illness"], "hierarchy": hierarchy}
        release = shoal.anonymize(
            table, method=method, publication=form, k=5, effort=20, max_suppressed=0.02, **roles
        )
        classes = Seen(release.table, release.policy).classes()
        own = own_classes(release, classes, n)
        halves = {
            name: below
            for fine, coarse in ((5, 10), (10, 20), (20, 40))
            for name, below in downcoding.two_below((fine, coarse), 120).items()
        }
        made = downcoding.claims(classes, {"age": halves})
        right = np.zeros(len(classes.people))
        right[[claim.group for claim in made]] = downcoding.right(made, table, own)
        blind = downcoding.blind(made, table, own)
        on = f"people, {method} {form}{', hierarchy' if steps else ''}"
        yield outcome("downcoding, per class", on, right, None, float(blind.mean()) if len(blind) else None)


def several(n: int) -> Iterator[Outcome]:
    """Two releases that were made apart, and two of one table at different k: the chance of finding somebody."""
    table = people(n, 5)
    cut = n // 7
    halves = (
        ("overlapping tables", table[: n - cut], table[cut:], 5),
        ("the same table at k 5 and 8", table, table, 8),
    )
    for name, first, second, k in halves:
        for method in ("mdav", "forest", "mondrian"):
            settings = ROLES | {"method": method, "publication": "generalize", "effort": 20}
            releases = [shoal.anonymize(first, k=5, **settings), shoal.anonymize(second, k=k, **settings)]
            here = [np.arange(n) < len(first), np.arange(n) >= n - len(second)]
            found = intersect([Seen(one.table, one.policy) for one in releases], table, here)
            both = here[0] & here[1] & found.attacked
            chances = 1.0 / np.maximum(found.candidates[both], 1)
            yield outcome(f"intersection, {name}", f"people, {method} generalize", chances, None, 1 / n)


def asked_why(n: int) -> tuple[list[Outcome], dict[str, Any]]:
    """Minimality, for methods whose groups l changes."""
    found, told = [], {}
    for method, form in (("mdav", "aggregate"), ("v-mdav", "aggregate"), ("mst", "aggregate"), ("best", "aggregate"),
                         ("forest", "generalize"), ("mondrian", "generalize")):  # fmt: skip
        total = Sure(0, 0, 0, 0.0)
        for seed in range(6):
            table = people(n, seed)
            codes = np.unique(table["illness"].to_numpy(), return_inverse=True)[1]
            settings = ROLES | {"method": method, "publication": form, "k": 3}
            alone = shoal.anonymize(table, **settings).mapping()["group"].to_numpy()
            after = shoal.anonymize(table, l=2, **settings).mapping()["group"].to_numpy()
            asked = beliefs(alone, after, codes, lambda counts: np.count_nonzero(counts) < 2, deals=400, seed=seed)
            total += sure_of(asked, codes, 0.99)
        rate = total.expected / total.people if total.people else 0.0
        above = total.above_chance > 3
        on = f"people, {method} {form} 3 l 2"
        # What is promised is no more than the share in the class: held against it in standard errors.
        scores = [1.0] * total.right + [0.0] * (total.people - total.right)
        one = outcome("minimality, those he is sure of", on, scores, None if not above else rate, rate)
        found.append(one)
        told[on] = {"changed": total.changed, "sure": total.people, "right": total.right, "by_class": round(total.expected, 1)}  # fmt: skip  # noqa: E501
    return found, told


def main(n: int = 600) -> int:
    begun = time.monotonic()
    pl.Config.set_tbl_rows(50)
    why, sure = asked_why(n // 2)
    found = [*single(n), *undone(n), *several(n), *why]
    for one in found:
        print(one)
    told: dict[str, dict[str, Any]] = {}
    for one in found:
        part = told.setdefault(one.attack, {"releases": 0, "tries": 0, "right": 0.0, "at_worst": 0.0, "exceeded": 0})
        part["releases"] += 1
        part["tries"] += one.tried
        part["right"] += one.succeeded
        part["at_worst"] = max(part["at_worst"], round(one.worst, 4))
        part["exceeded"] += one.exceeds
        promised = ["nothing" if one.promise is None else f"{one.promise:.2g}"]
        part["promised"] = ", ".join(sorted({*part.get("promised", "").split(", "), *promised} - {""}))
    for part in told.values():
        part["right"] = round(part["right"], 1)
    evidence = {
        "kind": "attacks",
        "what": "Attackers with code of their own on generated tables and Adult: tries, how many were right, and "
        "releases on which one got more than k, l or t promise.",
        "tried": sum(one.tried for one in found),
        "got_through": sum(one.exceeds for one in found),
        "details": told | {f"minimality: {on}": part for on, part in sure.items()},
        "seconds": round(time.monotonic() - begun, 1),
        "version": shoal.__version__,
    }
    path = ROOT / "docs" / "evidence" / "attacks.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(evidence, indent=1) + "\n", encoding="utf-8")
    page = ROOT / "docs" / "attacks.md"
    page.write_text(with_tables(page.read_text(encoding="utf-8"), evidence), encoding="utf-8")
    print(f"{evidence['tried']} tries, {evidence['got_through']} got through; written to {path.name}")
    return 1 if evidence["got_through"] else 0


if __name__ == "__main__":
    sys.exit(main(*(int(part) for part in sys.argv[1:2])))
