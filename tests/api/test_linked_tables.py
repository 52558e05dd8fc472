"""Linked tables released together: people are alike in all of them, counted by hand, verified, refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import CertificateError, InfeasibleError, ParameterError, SchemaError, TableError
from shoal.pipeline.linked.row_counts import published_counts
from shoal.policy.linked import LinkedPolicy
from tests.linked_tables import SECRET, fewest_alike, fewest_values, linked_policy, linked_tables, rows_of

TWO = ("patients", "visits")
THREE = ("patients", "visits", "tests")


def released(out: Path, names: tuple[str, ...], seed: int, n: int = 60, **shared: Any) -> dict[str, list]:
    tables = linked_tables(n, seed, nobody=shared.pop("nobody", 0.0))
    release = shoal.anonymize_tables(
        {name: tables[name] for name in names}, linked_policy(*names, **shared), secret=SECRET
    )
    release.write(out)
    return {name: rows_of(out, name) for name in names}


@pytest.mark.parametrize(
    ("names", "seed", "shared"),
    [
        (TWO, 1, {}),
        (TWO, 2, {"k": 5, "nobody": 0.3}),
        (THREE, 3, {}),
        (TWO, 4, {"method": "mondrian"}),
        (TWO, 5, {"ranges": "brackets", "diversity": {"l": 2, "kind": "frequency"}}),
        (TWO, 6, {"closeness": {"t": 0.45}}),
    ],
)
def test_people_are_alike_in_all_tables_with_k_minus_1_others(
    tmp_path: Path, names: tuple[str, ...], seed: int, shared: dict[str, Any]
) -> None:
    k = shared.get("k", 3)
    found = released(tmp_path / "out", names, seed, **shared)
    assert fewest_alike(found) >= k
    for by_cells in (False, True):
        assert fewest_values(found, "visits", "diagnosis", by_cells=by_cells) >= 2
    assert shoal.verify_tables(tmp_path / "out").k == fewest_alike(found)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(60))
def test_generated_tables_keep_k_over_all_tables(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = [TWO, THREE, ("visits", "tests")][seed % 3]
    shared = {"k": int(rng.integers(2, 7)), "nobody": float(rng.choice([0.0, 0.3])), "max_suppressed": 0.9}
    shared |= [{}, {"closeness": {"t": 0.3}}, {"disclosure": {"beta": 1.0}}, {"disclosure": {"alpha": 0.9}}][seed % 4]
    found = released(tmp_path / "out", names, seed, n=int(rng.integers(30, 150)), **shared)
    assert fewest_alike(found) >= shared["k"]
    for by_cells in (False, True):
        assert fewest_values(found, "visits", "diagnosis", by_cells=by_cells) >= 2
    assert shoal.verify_tables(tmp_path / "out").holds


def test_a_person_has_one_pseudonym_in_all_tables_and_no_name_is_left(tmp_path: Path) -> None:
    tables = linked_tables(60, 7)
    asked = {name: tables[name] for name in TWO}
    release = shoal.anonymize_tables(asked, linked_policy(), secret=SECRET)
    joined = release.tables["visits"].join(release.tables["patients"], left_on="who", right_on="patient")
    assert joined.height == release.tables["visits"].height
    release.write(tmp_path / "out")
    for file in (tmp_path / "out").iterdir():
        assert "P00" not in file.read_text(encoding="utf-8")


def test_values_stay_with_their_person() -> None:
    tables = linked_tables(60, 8)
    release = shoal.anonymize_tables({name: tables[name] for name in TWO}, linked_policy(), secret=SECRET)
    name_of = {release.secret.pseudonym(one): one for one in tables["patients"]["patient"]}
    blood = dict(tables["patients"].select("patient", "blood").iter_rows())
    for who, said in release.tables["patients"].select("patient", "blood").iter_rows():
        assert said == blood[name_of[who]]
    held = {
        (who, said)
        for who, said in zip(tables["visits"]["who"], tables["visits"]["diagnosis"], strict=True)
    }  # fmt: skip
    for who, said in release.tables["visits"].select("who", "diagnosis").iter_rows():
        assert (name_of[who], said) in held


def test_people_in_one_table_only_are_hidden_among_others_like_them(tmp_path: Path) -> None:
    found = released(tmp_path / "out", TWO, 9, n=120, nobody=0.4)
    patients, visits = {row["patient"] for row in found["patients"]}, {row["who"] for row in found["visits"]}
    assert patients - visits
    assert visits - patients
    assert fewest_alike(found) >= 3


@pytest.mark.parametrize("seed", range(20))
def test_every_number_of_rows_is_that_of_k_people(seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = np.maximum(rng.geometric(0.3, (80, 2)) - 1, [[1, 0]])
    kept = published_counts(counts, 4)
    assert (kept <= counts).all()
    there = kept[kept.any(axis=1)]
    assert np.unique(there, axis=0, return_counts=True)[1].min() >= 4
    assert kept.sum() > 0.6 * counts.sum()  # it drops rows, but not most of them


def test_nothing_is_dropped_if_all_numbers_of_rows_are_frequent() -> None:
    counts = np.repeat([[1, 0], [1, 2], [1, 3]], 5, axis=0)
    assert (published_counts(counts, 5) == counts).all()


def test_few_people_without_visits_are_left_out_instead_of_all_visits() -> None:
    counts = np.array([[1, 0]] * 2 + [[1, 4]] * 50)
    kept = published_counts(counts, 5)
    assert not kept[:2].any()
    assert (kept[2:] == counts[2:]).all()


def test_the_same_secret_gives_the_same_release_whatever_the_order_of_rows() -> None:
    tables = linked_tables(50, 10)
    one = shoal.anonymize_tables({name: tables[name] for name in TWO}, linked_policy(), secret=SECRET)
    shuffled = {name: tables[name].sample(fraction=1, shuffle=True, seed=99) for name in TWO}
    other = shoal.anonymize_tables(shuffled, linked_policy(), secret=SECRET)
    for name in TWO:
        assert one.tables[name].equals(other.tables[name])


def test_two_tables_are_not_shuffled_alike() -> None:
    """With one stream of chance for both, a row's place in one table would tell its place in the other."""
    n = 200
    rows = pl.DataFrame({"who": [f"{one:03d}" for one in range(n)], "x": [1] * n})
    columns = {"columns": {"who": {"role": "person"}, "x": {"role": "quasi"}}}
    policy = {"k": 2, "tables": {"a": columns, "b": columns}}
    release = shoal.anonymize_tables({"a": rows, "b": rows}, policy, secret=SECRET)
    same = sum(a == b for a, b in zip(release.tables["a"]["who"], release.tables["b"]["who"], strict=True))
    assert same < 10


def test_more_rows_than_allowed_are_never_left_out() -> None:
    tables = linked_tables(60, 11)
    asked = {name: tables[name] for name in TWO}
    with pytest.raises(InfeasibleError, match="rows of visits have to be left out") as refused:
        shoal.anonymize_tables(asked, linked_policy(max_suppressed=0.0))
    share = float(refused.value.hint.removeprefix("set max_suppressed to ").partition(",")[0])
    release = shoal.anonymize_tables(asked, linked_policy(max_suppressed=share))  # the hint is the way out
    for name in TWO:
        assert release.parts[name].suppressed <= share * tables[name].height


def test_a_failed_write_leaves_the_earlier_release_untouched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = linked_tables(40, 12)
    asked = {name: tables[name] for name in TWO}
    release = shoal.anonymize_tables(asked, linked_policy(), secret=SECRET)
    release.write(tmp_path / "out")
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    broken = release.parts["visits"].frame.with_columns(day=pl.lit("7"), who=pl.col("who").reverse())
    object.__setattr__(release.parts["visits"], "frame", broken)
    with pytest.raises(CertificateError):
        release.write(tmp_path / "out")
    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == before
    (tmp_path / "out" / "mine.txt").write_text("kept", encoding="utf-8")
    with pytest.raises(TableError, match="no release wrote"):
        shoal.anonymize_tables(asked, linked_policy(), secret=SECRET).write(tmp_path / "out")


@pytest.mark.parametrize("format", ["csv", "parquet", "arrow", "xlsx"])
def test_every_format_is_written_and_verified(tmp_path: Path, format: str) -> None:
    tables = linked_tables(30, 13)
    release = shoal.anonymize_tables({name: tables[name] for name in TWO}, linked_policy(), secret=SECRET)
    release.write(tmp_path / "out", format=format)
    assert shoal.verify_tables(tmp_path / "out").holds
    assert (tmp_path / "out" / f"visits.{format}").is_file()


def test_the_private_folder_repeats_the_release_and_nothing_else(tmp_path: Path) -> None:
    tables = linked_tables(40, 14)
    asked = {name: tables[name] for name in TWO}
    first = shoal.anonymize_tables(asked, linked_policy()).write(tmp_path / "out")
    private = tmp_path / "out.private"
    again = shoal.anonymize_tables(asked, linked_policy(), secret=private)
    assert again.tables["visits"].equals(first.tables["visits"])
    other = shoal.anonymize_tables(asked | {"visits": tables["visits"][1:]}, linked_policy(), secret=private)
    assert not set(other.tables["visits"]["who"]) & set(first.tables["visits"]["who"])
    asked_again = LinkedPolicy.load(private / "policy.toml")
    assert {name: one.k for name, one in asked_again.tables.items()} == {"patients": 3, "visits": 3}
    assert json.loads((private / "certificate.json").read_text(encoding="utf-8"))["seed"] == 0


def _changed(**tables: dict[str, Any]) -> dict[str, Any]:
    policy = linked_policy()
    for name, columns in tables.items():
        policy["tables"][name] = {"columns": policy["tables"][name]["columns"] | columns}
    return policy


@pytest.mark.parametrize(
    ("policy", "error", "says"),
    [
        (_changed(visits={"who": {"role": "identifier"}}), SchemaError, "no column has the role person"),
        (_changed(visits={"who": {"role": "person", "consistent": True}}), SchemaError, "consistent and pseudonym"),
        (_changed(visits={"day": {"role": "quasi", "diversity": {"l": 2}}}), SchemaError, "role quasi and a requi"),
        (_changed(visits={"ward": {"role": "quasi", "kind": "set"}}), SchemaError, 'kind = "set"'),
        (_changed(visits={"ward": {"role": "quasi", "classes": "k"}}), SchemaError, "classes of labels"),
        (_changed(visits={"day": {"role": "weight"}}), SchemaError, "role weight"),
        (linked_policy(sample=0.5), ParameterError, "sample cannot be set"),
        (linked_policy(publication="aggregate"), ParameterError, "publication cannot be set"),
        (linked_policy(method="full-domain"), ParameterError, "cannot make groups for several tables"),
        (linked_policy("patients"), ParameterError, "at least two tables"),
        (linked_policy(k=61), InfeasibleError, "people"),
        (_changed(visits={"ward": {"role": "sensitive", "diversity": {"l": 9}}}), InfeasibleError, "l=9"),
    ],
)
def test_what_cannot_be_kept_is_refused(policy: dict[str, Any], error: type[Exception], says: str) -> None:
    tables = linked_tables(60, 15)
    with pytest.raises(error, match=says):
        shoal.anonymize_tables({name: tables[name] for name in TWO}, policy)


def test_rows_without_a_person_and_people_of_nobody_are_refused() -> None:
    tables = linked_tables(40, 16)
    asked = {name: tables[name] for name in TWO}
    nobody = asked | {"visits": tables["visits"].with_columns(pl.col("who").replace({"P0001": None}))}
    with pytest.raises(SchemaError, match="have no who"):
        shoal.anonymize_tables(nobody, linked_policy())
    others = asked | {"visits": tables["visits"].with_columns(who="X" + pl.col("who"))}
    with pytest.raises(SchemaError, match="nothing to link"):
        shoal.anonymize_tables(others, linked_policy())
    number = asked | {"visits": tables["visits"].with_columns(who=pl.col("who").str.slice(1).cast(pl.Int64))}
    with pytest.raises(SchemaError, match="written differently"):
        shoal.anonymize_tables(number, linked_policy())


def test_tables_and_policy_must_name_the_same_tables() -> None:
    tables = linked_tables(40, 17)
    with pytest.raises(ParameterError, match="visits, which are not given"):
        shoal.anonymize_tables({"patients": tables["patients"]}, linked_policy())
    with pytest.raises(ParameterError, match="no part"):
        shoal.anonymize_tables(tables, linked_policy())
    with pytest.raises(ParameterError, match="cannot be a list"):
        shoal.anonymize_tables([tables["patients"]], linked_policy())  # type: ignore[arg-type]


def test_a_table_without_quasi_identifiers_is_refused() -> None:
    tables = linked_tables(60, 18)
    policy = linked_policy("patients", "tests")
    policy["tables"]["tests"]["columns"]["year"] = {"role": "identifier"}
    with pytest.raises(SchemaError, match='no column has the role "quasi"'):
        shoal.anonymize_tables({name: tables[name] for name in ("patients", "tests")}, policy)


def test_a_policy_of_linked_tables_is_refused_for_one_table_with_the_way_out() -> None:
    with pytest.raises(ParameterError, match="several linked tables") as refused:
        shoal.anonymize(linked_tables(30, 19)["patients"], linked_policy())
    assert "anonymize-tables" in refused.value.hint


def test_an_error_names_the_table_and_its_part_of_the_policy() -> None:
    tables = linked_tables(40, 20)
    policy = linked_policy()
    del policy["tables"]["visits"]["columns"]["ward"]
    with pytest.raises(SchemaError, match=r"^table visits: 1 of 4 columns have no role: 'ward'") as refused:
        shoal.anonymize_tables({name: tables[name] for name in TWO}, policy)
    assert "[tables.visits.columns.ward]" in refused.value.hint
