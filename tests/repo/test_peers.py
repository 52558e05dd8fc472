"""The page on other programs: what it says that Shoal has was run, every row of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.datasets import hospital
from shoal.method_table import METHODS
from shoal.policy.linked import LinkedPolicy
from tests.cli.running import shoal as command
from tests.linked_tables import linked_policy, linked_tables

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "peers.md").read_text(encoding="utf-8")
TABLE = hospital(80).select("sex", "height_cm", "zip", "diagnosis").with_columns(
    person=pl.Series([f"p{i % 70}" for i in range(80)]),
    household=pl.Series([i // 3 for i in range(80)]),
    weight=pl.Series([10.0 + i % 3 for i in range(80)]),
    age=pl.Series([20 + (7 * i) % 79 for i in range(80)]),
)  # fmt: skip


def release(columns: dict[str, dict[str, Any]] | None = None, **more: Any) -> shoal.Release[pl.DataFrame]:
    """A release of a small table, with these settings of columns and of the policy."""
    own = {"age": {"role": "quasi"}, "sex": {"role": "quasi"}, "diagnosis": {"role": "sensitive"}}
    roles = {name: own.get(name, {}) | (columns or {}).get(name, {}) for name in {**own, **(columns or {})}}
    policy = {"k": 5, "method": "mondrian", "columns": roles} | more
    made = shoal.anonymize(TABLE.select(*roles), policy)
    assert made.findings.holds
    return made


def risk(**more: Any) -> Any:
    return shoal.population_risk(TABLE, quasi=["age", "sex", "zip"], **more)


def claims(made: shoal.Release[pl.DataFrame]) -> set[str]:
    return {claim.criterion for claim in made.findings.claims}


def folder(tmp_path: Path, **more: Any) -> Path:
    release(**more).write(tmp_path / "release")
    return tmp_path / "release"


def three_questions(_: Path) -> bool:
    own = {
        "age": {"role": "quasi"},
        "sex": {"role": "quasi"},
        "diagnosis": {"role": "sensitive", "publish_rare": True},
    }
    policy = {"k": 3, "method": "mondrian", "columns": own}
    return shoal.attack(TABLE.select(*own), policy=policy, control=0.5).questions is not None


def linked(tmp_path: Path) -> bool:
    names = ("patients", "visits")
    for name in names:
        linked_tables(40, 1)[name].write_csv(tmp_path / f"{name}.csv")
    (tmp_path / "linked.toml").write_text(LinkedPolicy.parse(linked_policy(*names)).dumps(), encoding="utf-8")
    files = [tmp_path / f"{name}.csv" for name in names]
    made = command("anonymize-tables", *files, "-p", tmp_path / "linked.toml", "-o", tmp_path / "out")
    return made.code == 0 and command("verify", tmp_path / "out").code == 0


def larger_than_memory(tmp_path: Path) -> bool:
    TABLE.select("age", "sex").write_parquet(tmp_path / "table.parquet")
    with shoal.anonymize(tmp_path / "table.parquet", k=5, quasi=["age", "sex"], engine="local") as made:
        return made.write(tmp_path / "out").certificate.holds


def sets() -> shoal.Release[pl.DataFrame]:
    """A release of a column of sets, of which nobody is singled out by two items."""
    table = pl.DataFrame({"age": [30, 40] * 20, "items": ["a;b", "a;c", "b;c", "a;b;c"] * 10})
    items = {"role": "quasi", "kind": "set", "separator": ";"}
    made = shoal.anonymize(table, {"k": 3, "m": 2, "columns": {"age": {"role": "quasi"}, "items": items}})
    assert made.findings.holds
    return made


def served(tmp_path: Path) -> bool:
    return command("serve", "--help").code == 0


RUN: dict[str, Callable[[Path], Any]] = {
    "k-anonymity": lambda _: release().findings.k >= 5,
    "k counted in people, not rows": lambda _: (
        release({"person": {"role": "person"}}).findings.unit == "people"
    ),
    "all rows of a person alike": lambda _: release({"person": {"role": "person", "consistent": True}}),
    "distinct, entropy and recursive l-diversity": lambda _: all(
        "l-diversity" in claims(release(diversity={"l": 2} | kind))
        for kind in ({"kind": "distinct"}, {"kind": "entropy"}, {"kind": "recursive", "c": 3})
    ),
    "t-closeness": lambda _: "t-closeness" in claims(release(closeness={"t": 0.6})),
    "(α, k)-anonymity": lambda _: "alpha-anonymity" in claims(release(disclosure={"alpha": 0.7})),
    "β-likeness, δ-disclosure": lambda _: (
        {"beta-likeness"} <= claims(release(disclosure={"beta": 9}))
        and {"delta-disclosure"} <= claims(release(k=20, disclosure={"delta": 6}))
    ),
    "k-map, δ-presence": lambda _: risk(population_table=pl.concat([TABLE] * 3)).presence is not None,
    "unique in the population: Pitman, Zayatz, SNB": lambda _: risk(population=5_000).unique.chosen,
    "individual risk by sampling weights": lambda _: risk(weight="weight").rows.height == TABLE.height,
    "log-linear risk": lambda _: risk(population=5_000).log_linear,
    "household risk": lambda _: (
        risk(population=5_000, household="household").individual.household_largest is not None
    ),
    "special uniques (SUDA2)": lambda _: risk(size=2).special.size == 2,
    "risk of re-identification, highest and mean": lambda _: release().risk.after.prosecutor_max <= 1 / 5,
    "singling out, linkability, inference (WP216), with intervals": three_questions,
    "identifiers found in a raw table": lambda _: (
        shoal.profile(hospital(60)).policy.columns["name"].role == "identifier"
    ),
    "HIPAA Safe Harbor proposed, and checked on the release": lambda _: (
        shoal.profile(hospital(60), preset="hipaa-safe-harbor").policy.columns["birth_date"].round == "year"
        and shoal.verify(release().table, preset="hipaa-safe-harbor").lines
    ),
    "one level of a hierarchy per column": lambda _: release(
        {"age": {"hierarchy": {"widths": [10, 50]}}, "sex": {"kind": "label"}}, method="full-domain"
    ),
    "local recoding": lambda _: release(method="auto").certificate.method == "forest",
    "labels merged": lambda _: (
        set(release({"sex": {"merge": {"any": ["f", "m"]}}}).table["sex"].to_list()) == {"any"}
    ),
    "top and bottom coding": lambda _: release({"age": {"top": 90, "bottom": 25}}),
    "cells suppressed": lambda _: release(publication="suppress").certificate.form == "suppress",
    "rows suppressed": lambda _: release(max_suppressed=0.1).certificate.suppressed >= 0,
    "microaggregation": lambda _: (
        release(publication="aggregate", method="mdav").certificate.form == "aggregate" and "mdav" in METHODS
    ),
    "synthetic rows": lambda _: release(synthetic="marginals").synthetic.height == TABLE.height,
    "a sample of the rows, or those that meet a condition": lambda _: (
        release(sample=0.5).certificate.rows < 60 and release(where="age >= 40").certificate.rows < TABLE.height
    ),
    "sampling weights in the release": lambda _: "weight" in release({"weight": {"role": "weight"}}).table.columns,
    "new identifiers, the same in several tables": lambda _: release(
        {"person": {"role": "person", "consistent": True, "pseudonym": True}}
    ),
    "several tables of the same people, anonymized together": linked,
    "tables larger than memory": larger_than_memory,
    "hierarchies made by the program": lambda _: shoal.hierarchy(TABLE, "age", k=5),
    "risk and loss over several settings": lambda _: (
        len(shoal.compare(TABLE.select("age"), k=[2, 5], methods=["mondrian"], quasi=["age"]).trials) == 2
    ),
    "information loss measured": lambda _: release().loss.to_dict()["columns"],
    "a released file checked again, with an exit code": lambda path: command("verify", folder(path)).code == 0,
    "certificate of the release": lambda path: shoal.Certificate.from_json(
        (folder(path) / "certificate.json").read_text()
    ).holds,
    "report for the person who signs": lambda path: "What was tested" in shoal.dossier(folder(path)),
    "descriptions for catalogs": lambda path: (
        folder(path, metadata={"formats": ["croissant", "ddi"]}) / "croissant.json"
    ).is_file(),
    "the same recoding for the next table": lambda _: shoal.apply(
        release().plan, TABLE.select("age", "sex", "diagnosis"), max_suppressed=0.5
    ),
    "k^m-anonymity of sets": lambda _: "km-anonymity" in claims(sets()),
    "several sets of key variables, each with a k": lambda _: (
        "key-anonymity" in claims(release(keys={"insurer": {"columns": ["age"], "k": 10}}))
    ),
    "post-randomization (PRAM)": lambda _: release(
        {"zip": {"role": "other", "perturb": {"method": "pram", "keep": 0.9}}}
    ),
    "rank swapping": lambda _: release(
        {"height_cm": {"role": "other", "perturb": {"method": "rank-swap", "window": 0.1}}}
    ),
    "noise that keeps means and covariances": lambda _: release(
        {"height_cm": {"role": "other", "perturb": {"method": "noise", "spread": 0.3}}}
    ),
    "confidence intervals, propensity score, models on the release": lambda _: shoal.utility(
        TABLE.select("age", "sex", "diagnosis"), release().table, release().policy, targets=["diagnosis"]
    ),
    "browser or desktop program": served,
}  # fmt: skip


def rows() -> dict[str, list[str]]:
    """The table of features: each with its other cells, of which Shoal's are the last two."""
    section = PAGE.split("## Feature by feature\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")][2:]
    return {
        cells[0]: cells[1:] for cells in ([cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines)
    }


def test_every_row_that_says_yes_has_a_call_and_no_other() -> None:
    said = {feature for feature, cells in rows().items() if len(cells) == 8}
    assert said == set(RUN)
    assert all(cells[6] in ("yes", "m") for feature, cells in rows().items() if feature in said)
    assert all(cells[-1] == "no" for feature, cells in rows().items() if feature not in said)


@pytest.mark.parametrize("feature", RUN)
def test_what_the_page_says_was_run(feature: str, tmp_path: Path) -> None:
    assert RUN[feature](tmp_path)


def test_every_command_on_the_page_is_one() -> None:
    for how in re.findall(r"`shoal (\w+)", PAGE):
        assert command(how, "--help").code == 0, how
