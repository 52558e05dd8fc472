"""Several sets of key variables, each with its own k: enforced, counted by hand, verified, certified, refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import InfeasibleError, ParameterError, SchemaError
from shoal.policy import Policy

SECRET = bytes(range(32))
KEYS = {
    "neighbor": {"columns": ["sex", "ward"], "k": 3},
    "insurer": {"columns": ["age", "ward"], "k": 12},
    "employer": {"columns": ["sex", "job"], "k": 20},
}
ASKED = {"k": 3, "quasi": ["age", "sex", "ward", "job"], "sensitive": "illness", "effort": 1, "secret": SECRET}


def people(n: int, seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 80, n),
            "sex": np.array(["f", "m"])[rng.integers(0, 2, n)],
            "ward": np.array(["a", "b", "c", "d"])[rng.integers(0, 4, n)],
            "job": [None if rng.random() < 0.05 else f"job {one}" for one in rng.integers(0, 9, n)],
            "illness": np.array(["flu", "gout", "mumps"])[rng.integers(0, 3, n)],
        }
    )


FORMS = [
    {"publication": "generalize"},
    {"publication": "generalize", "ranges": "columns", "l": 2},
    {"publication": "suppress"},
    {"publication": "aggregate"},
    {"publication": "generalize", "method": "mondrian", "max_suppressed": 0.05},
    {"publication": "generalize", "classes": "job"},
]


def _shared(released: pl.DataFrame, columns: list[str]) -> int:
    """Count in polars, by code of the test: the fewest rows that share what is published of some columns."""
    ends = ("", "_min", "_max", "_missing")
    cells = [name for name in released.columns if any(name == f"{one}{end}" for one in columns for end in ends)]
    return released.group_by(cells).len()["len"].min()


@pytest.mark.parametrize("form", FORMS)
def test_every_key_set_has_its_own_k(form: dict) -> None:
    table = people(240, 4)
    release = shoal.anonymize(table, keys=KEYS, **ASKED, **form)
    for name, keys in KEYS.items():
        found = _shared(release.table, keys["columns"])
        assert found >= keys["k"], name
        claim = next(one for one in release.certificate.claims if one.column == name)
        assert (claim.criterion, claim.claimed, claim.measured) == ("key-anonymity", keys["k"], found)
    assert _shared(release.table, ASKED["quasi"]) >= 3
    assert release.certificate.lower_bound <= release.certificate.cost
    without = shoal.anonymize(table, **ASKED, **form)
    assert min(_shared(without.table, keys["columns"]) - keys["k"] for keys in KEYS.values()) < 0  # it was needed
    assert release.certificate.cost >= without.certificate.cost
    largest = shoal.anonymize(table, **{**ASKED, **form, "k": 20})
    assert release.certificate.cost <= largest.certificate.cost  # columns of no set, or of one, need not be as wide


def test_a_column_of_two_sets_is_wide_enough_for_both() -> None:
    shared = {"two": {"columns": ["ward"], "k": 45}, "one": {"columns": ["sex", "ward"], "k": 25}}
    widened = 0
    for seed in range(2):
        release = shoal.anonymize(people(150, seed), keys=shared, publication="generalize", **{**ASKED, "k": 2})
        assert all(_shared(release.table, keys["columns"]) >= keys["k"] for keys in shared.values())
        widened += any("wider groups" in note for note in release.certificate.notes)
    assert widened


def test_a_set_that_the_k_of_all_implies_changes_nothing() -> None:
    table = people(120, 5)
    with_set = shoal.anonymize(table, keys={"few": {"columns": ["age", "sex"], "k": 2}}, **ASKED)
    assert with_set.table.equals(shoal.anonymize(table, **ASKED).table)
    assert with_set.certificate.ratio_proved is not None


def test_the_cost_is_that_of_what_is_published() -> None:
    """With one column in a set, its cells cost what they lose, and the others what they lose in their groups."""
    release = shoal.anonymize(people(200, 6), keys={"x": {"columns": ["age"], "k": 40}}, **ASKED)
    lost = sum(column.ncp for column in release.loss.columns)
    assert float(release.certificate.cost) == pytest.approx(lost * 200, rel=0.02)


def test_people_are_counted_where_all_their_rows_are_alike() -> None:
    table = people(240, 7).with_columns(who=np.arange(240) // 2)
    release = shoal.anonymize(table, person="who", consistent=True, keys=KEYS, publication="generalize", **ASKED)
    for keys in KEYS.values():
        shared = release.table.group_by(keys["columns"]).agg(pl.col("who").n_unique())["who"]
        assert shared.min() >= keys["k"]
    assert {claim.unit for claim in release.certificate.claims} == {"people"}
    with pytest.raises(ParameterError, match="a person may be in two of them"):
        shoal.anonymize(table, person="who", keys=KEYS, publication="generalize", **ASKED)


def test_a_release_that_misses_a_key_set_is_found(tmp_path: Path) -> None:
    table = people(240, 4)
    without = shoal.anonymize(table, publication="generalize", **ASKED)
    policy = {**json.loads(without.certificate.to_public_json())["policy"], "keys": KEYS}
    found = shoal.verify(without.table, policy)
    assert {failure.check for failure in found.failures} == {"key-anonymity"}
    assert found.k >= 3
    release = shoal.anonymize(table, keys=KEYS, publication="generalize", **ASKED)
    release.write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").holds
    stated = json.loads((tmp_path / "out" / "certificate.json").read_text())
    stated["policy"]["keys"]["insurer"]["k"] = 13
    (tmp_path / "out" / "certificate.json").write_text(json.dumps(stated))
    assert not shoal.verify(tmp_path / "out").holds
    assert (tmp_path / "out.private" / "plan.json").exists()
    assert Policy.load(tmp_path / "out.private" / "policy.toml").keys["insurer"].k == 12


def test_a_table_read_in_parts_is_counted_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from shoal.certify import verifier

    release = shoal.anonymize(people(240, 4), keys=KEYS, publication="generalize", **ASKED)
    release.write(tmp_path / "out")
    whole = shoal.verify(tmp_path / "out")
    monkeypatch.setattr(verifier, "is_large", lambda *_: True)
    assert shoal.verify(tmp_path / "out").claims == whole.claims


def test_what_cannot_keep_key_sets_is_refused_in_one_sentence() -> None:
    table = people(120, 8)
    with pytest.raises(ParameterError, match="key sets cannot be kept by method full-domain"):
        shoal.anonymize(table, keys=KEYS, method="full-domain", **ASKED)
    with pytest.raises(ParameterError, match="in the form centers"):
        shoal.anonymize(table, keys=KEYS, publication="centers", **ASKED)
    with pytest.raises(ParameterError, match="'illness' is not a quasi-identifier"):
        shoal.anonymize(table, keys={"x": {"columns": ["illness"], "k": 3}}, **ASKED)
    with pytest.raises(InfeasibleError):
        shoal.anonymize(table, keys={"x": {"columns": ["age"], "k": 121}}, **ASKED)
    with pytest.raises(ParameterError, match="names a column twice"):
        Policy.parse({"keys": {"x": {"columns": ["a", "a"], "k": 3}}})
    with pytest.raises(SchemaError, match="known here: columns, k"):
        Policy.loads("[keys.x]\ncolumns = ['a']\nk = 3\nl = 2\n")
    release = shoal.anonymize(table, keys=KEYS, publication="generalize", **ASKED)
    with pytest.raises(ParameterError, match="merged classes have cells of their own"):
        shoal.apply(release.plan, table, join=True)


def test_compare_keeps_them_and_a_policy_is_written_and_read() -> None:
    table = people(120, 9)
    settings = {name: value for name, value in ASKED.items() if name != "k"}
    loose = shoal.compare(table, k=[3], **settings).trials[0]
    assert shoal.compare(table, k=[3], keys=KEYS, **settings).trials[0].loss > loose.loss
    policy = Policy.parse(
        {"keys": KEYS, "columns": {name: {"role": "quasi"} for name in ("age", "sex", "ward", "job")}}
    )
    assert Policy.loads(policy.dumps()) == policy
