"""Releases as they should be; the tests break them on purpose."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl

from shoal.certify import Certificate, Facts, Findings, inspect, issue, sha256_of
from shoal.certify.public_policy import files_beside
from shoal.policy import Policy
from shoal.tables import write_file

K = 3
ROLES: dict[str, dict[str, Any]] = {
    "name": {"role": "identifier"},
    "age": {"role": "quasi"},
    "city": {"role": "quasi"},
    "diagnosis": {"role": "sensitive"},
    "note": {"role": "other"},
}


def policy(**settings: Any) -> Policy:
    asked = {"k": K, "diversity": {"l": 2}, "closeness": {"t": 0.5}, "columns": ROLES}
    return Policy.parse(asked | settings)


def release() -> pl.DataFrame:
    """Four groups of three; in one of them the city is missing."""
    return pl.DataFrame(
        {
            "age": ["[20, 29]"] * 3 + ["[30, 39]"] * 3 + ["[20, 29]"] * 3 + ["40"] * 3,
            "city": ["A"] * 3 + ["{A, B}"] * 3 + [None] * 3 + ["B"] * 3,
            "diagnosis": ["flu", "cold", "flu", "cold", "cold", "flu", "flu", "cold", None, "flu", "flu", "cold"],
            "note": [str(i) for i in range(12)],
        }
    )


def with_people() -> tuple[pl.DataFrame, Policy]:
    """Two groups of four people; some have two rows."""
    numbers = [1, 2, 3, 4, 4, 3, 1, 2, 3, 4, 2]
    frame = pl.DataFrame(
        {
            "person": [str(number) for number in numbers],
            "age": ["20"] * 6 + ["30"] * 5,
            "diagnosis": ["flu", "cold", "flu", "cold", "cold", "gout", "flu", "cold", "flu", "cold", "cold"],
        }
    )
    columns = {"person": {"role": "person"}, "age": {"role": "quasi"}, "diagnosis": {"role": "sensitive"}}
    return frame, Policy.parse({"k": 4, "diversity": {"l": 2, "kind": "frequency"}, "columns": columns})


def centers() -> tuple[pl.DataFrame, Policy]:
    frame = pl.DataFrame(
        {
            "age": ["25.5", "61.0"],
            "people": ["5", "3"],
            "radius": ["4.5", "4.5"],
            "diagnosis": ["flu: 3; cold: 2", '"a: b; \\"c\\"": 1; null: 1; "null": 1'],
        }
    )
    columns = {"age": {"role": "quasi"}, "diagnosis": {"role": "sensitive"}, "person": {"role": "identifier"}}
    return frame, Policy.parse({"k": 3, "publication": "centers", "diversity": {"l": 2}, "columns": columns})


def written(folder: Path, frame: pl.DataFrame, asked: Policy, form: str = "generalize") -> tuple[Path, Certificate]:
    """The release and its certificate in a folder, as a user finds them."""
    path = folder / "release.csv"
    path.unlink(missing_ok=True)
    write_file(frame, path)
    certificate = certified(path, frame, asked, form)
    (folder / "certificate.json").write_text(certificate.to_public_json(), encoding="utf-8")
    return path, certificate


def certified(path: Path, frame: pl.DataFrame, asked: Policy, form: str = "generalize") -> Certificate:
    found: Findings = inspect(frame, asked, form=form)
    beside = {name: sha256_of(path.parent / name) for name in files_beside(asked) if (path.parent / name).exists()}
    findings = replace(found, files={path.name: sha256_of(path)} | beside)
    return issue(
        replace(findings, sha256=sha256_of(path)),
        asked.model_copy(update={"seed": 987654321}),
        Facts(
            suppressed=1,
            method="cellular",
            objective="cellular",
            ratio_proved=Fraction(306, 5),
            theorem="CELLULAR-5",
            cost=1234.56789012345,
            lower_bound=1000.123456789012,
            theorem_cost=1300.5,
            notes=("a note",),
            repair={
                "groups_before": 5,
                "groups_after": 4,
                "suppressed": 1,
                "cost_before": 1200.5,
                "cost_after": 1234.5,
            },
            reason="because",
        ),
    )
