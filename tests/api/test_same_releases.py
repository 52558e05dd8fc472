"""The same table, policy, seed and secret give the same released bytes as they did in earlier versions of the code.

A change that only moves or renames code leaves every digest as it is. A change that is meant to alter releases (a
better search, another order of rows) alters digests: then write them anew with
`python -m tests.api.test_same_releases`, and say in the change why.
"""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from tests.fixed_secret import secret

DIGESTS = Path(__file__).with_name("same_releases.json")
QUASI, NUMBERS = ["age", "sex", "zip", "stay"], ["age", "stay"]
DIVERSE = {"sensitive": ["illness"], "l": 2}

POLICIES: dict[str, dict[str, Any]] = {
    "default": {"quasi": QUASI, "k": 5},
    "default, seed 7": {"quasi": QUASI, "k": 5, "seed": 7},
    "diverse": {"quasi": QUASI, "k": 4, **DIVERSE},
    "close": {"quasi": QUASI, "k": 4, "sensitive": ["illness"], "t": 0.3},
    "rows left out": {"quasi": QUASI, "k": 6, "max_suppressed": 0.1},
    "people": {"quasi": QUASI, "k": 4, "person": "patient"},
    "suppressed cells": {"quasi": QUASI, "k": 3, "publication": "suppress"},
    "means of mixed columns": {"quasi": QUASI, "k": 3, "publication": "aggregate"},
    "centers": {"quasi": QUASI, "k": 4, "publication": "centers"},
    "centers, rows left out": {"quasi": QUASI, "k": 4, "publication": "centers", "max_suppressed": 0.05},
    "cellular": {"quasi": QUASI, "k": 4, "method": "cellular"},
    "pairs": {"quasi": QUASI, "k": 2, "method": "pairs"},
    "triples": {"quasi": QUASI, "k": 3, "method": "triples"},
    "mondrian": {"quasi": QUASI, "k": 5, "method": "mondrian"},
    "mondrian, diverse": {"quasi": QUASI, "k": 5, "method": "mondrian-relaxed", **DIVERSE},
    "full domain": {"quasi": QUASI, "k": 3, "method": "full-domain", "max_suppressed": 0.1},
    "datafly": {"quasi": QUASI, "k": 3, "method": "datafly", "max_suppressed": 0.1},
    "best": {"quasi": NUMBERS, "k": 3, "method": "best"},
    "best, diverse": {"quasi": NUMBERS, "k": 3, "method": "best", **DIVERSE},
    "one column": {"quasi": ["age"], "k": 3},
    **{f"{name}, numbers": {"quasi": NUMBERS, "k": 3, "method": name} for name in ("mdav", "v-mdav", "mst", "mst-d")},
    **{f"{name}, numbers": {"quasi": NUMBERS, "k": 3, "method": name} for name in ("mst-c", "diameter", "centroid")},
}


def people() -> pl.DataFrame:
    """A small table with ties, duplicates and missing values, made without a random number generator."""
    numbers = [(i * 7919 + i * i * 31) % 1009 for i in range(140)]
    return pl.DataFrame(
        {
            "patient": [f"p{i % 110}" for i in range(140)],
            "age": [None if n % 37 == 0 else n % 60 + 20 for n in numbers],
            "sex": ["fm"[n % 2] for n in numbers],
            "zip": [str(10_000 + 111 * (n % 13)) for n in numbers],
            "stay": [round((n % 97) / 7, 2) for n in numbers],
            "illness": [["flu", "asthma", "cancer", "fracture", "none"][n % 5] for n in numbers],
        }
    )


def released(asked: dict[str, Any]) -> str:
    """The digest of the released table as a CSV file."""
    columns = people().columns
    kept = {*asked["quasi"], *asked.get("sensitive", []), asked.get("person")}
    policy = {"effort": 20, **asked, "identifier": [one for one in columns if one not in kept]}
    release = shoal.anonymize(people(), secret=secret(asked.get("seed", 0)), **policy)
    file = io.BytesIO()
    release.published.frame.write_csv(file)
    return hashlib.sha256(file.getvalue()).hexdigest()


@pytest.mark.parametrize("name", POLICIES)
def test_the_release_has_the_digest_it_had(name: str) -> None:
    assert released(POLICIES[name]) == json.loads(DIGESTS.read_text(encoding="utf-8"))[name]


def test_a_plan_applied_to_new_rows_has_the_digest_it_had() -> None:
    assert applied() == json.loads(DIGESTS.read_text(encoding="utf-8"))["applied plan"]


def applied() -> str:
    asked = {"quasi": QUASI, "identifier": ["patient", "illness"], "k": 3, "effort": 20}
    first = shoal.anonymize(people().head(100), secret=secret(), **asked)
    second = shoal.apply(first.plan, people().tail(90), secret=secret(), max_suppressed=0.9)
    return hashlib.sha256(second.published.frame.write_csv().encode()).hexdigest()


if __name__ == "__main__":
    digests = {name: released(asked) for name, asked in POLICIES.items()} | {"applied plan": applied()}
    DIGESTS.write_text(json.dumps(digests, indent=1) + "\n", encoding="utf-8")
