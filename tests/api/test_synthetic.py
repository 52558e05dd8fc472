"""Synthetic rows: drawn from the release alone, within its cells, labelled, and refused if tampered with."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.certify import Certificate, sha256_of
from shoal.certify.codebook.check import read_package, stated_kinds
from shoal.certify.stated import read_certificate
from shoal.datasets import hospital
from shoal.errors import ParameterError
from shoal.partition.methods.choose import choose
from shoal.results.synthetic_cells import frequencies
from shoal.results.synthetic_rows import synthetic_rows
from shoal.secret import Secret
from tests.fixed_secret import SECRET

COLUMNS = {
    "name": {"role": "identifier"},
    "birth_date": {"role": "quasi"},
    "sex": {"role": "quasi"},
    "zip": {"role": "quasi", "hierarchy": {"prefix": True}},
    "height_cm": {"role": "quasi", "top": 175.0},
    "weight_kg": {"role": "quasi"},
    "ward": {"role": "quasi"},
    "diagnosis": {"role": "sensitive"},
    "length_of_stay": {"role": "other"},
}
POLICY = {"k": 4, "method": "mondrian", "publication": "generalize", "synthetic": "marginals", "columns": COLUMNS}


def table(n: int = 160) -> pl.DataFrame:
    return hospital(n).select(list(COLUMNS))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("synthetic") / "out"
    shoal.anonymize(table(), POLICY, secret=SECRET).write(out, format="csv")
    return out


@pytest.mark.parametrize("variant", ["marginals", "copula"])
def test_the_public_folder_and_the_secret_give_the_synthetic_rows_again(variant: str, tmp_path: Path) -> None:
    """So they are a function of what is public and of chance: SYNTHETIC-1."""
    release = shoal.anonymize(table(), POLICY, synthetic=variant, secret=SECRET)
    release.write(tmp_path / "out", format="parquet")
    certificate, policy = read_certificate(tmp_path / "out" / "certificate.json")
    stated = stated_kinds(read_package(tmp_path / "out" / "datapackage.json"), policy)
    again = synthetic_rows(
        pl.read_parquet(tmp_path / "out" / "release.parquet"),
        certificate.public_policy(),
        stated,
        {},
        variant=variant,
        secret=Secret.from_hex((tmp_path / "out.private" / "secret.key").read_text()),
    )
    assert pl.read_parquet(tmp_path / "out" / "synthetic.parquet").equals(again)


def test_every_row_lies_in_the_cells_of_its_row_and_groups_keep_their_values() -> None:
    release = shoal.anonymize(table(), POLICY, secret=SECRET)
    made, released = release.synthetic_rows(), release.table
    heights = [text.removeprefix(">=") for text in made["height_cm"].drop_nulls()]
    assert max(map(int, heights)) == 175
    assert ">=175" in made["height_cm"].to_list()
    for low, high, weight in zip(*ends(released["weight_kg"]), made["weight_kg"], strict=True):
        assert weight is None or low <= weight <= high
    groups = released.select(pl.concat_str(list(COLUMNS)[1:7], separator="|", ignore_nulls=False)).to_series()
    for name in ("diagnosis", "length_of_stay"):
        before, after = (
            pl.DataFrame({"group": groups, "value": frame[name]}).group_by("group", "value").len().sort(pl.all())
            for frame in (released, made)
        )
        assert before.equals(after)
    assert not made["diagnosis"].equals(released["diagnosis"])


def ends(cells: pl.Series) -> tuple[list[float], list[float]]:
    """Both ends; NaN is in no comparison, so a cell without numbers fits what is missing alone."""
    bare = [(text or "nan").removesuffix(" or missing").strip("[]").split(", ") for text in cells.to_list()]
    return [float(one[0]) for one in bare], [float(one[-1]) for one in bare]


def test_rows_in_another_order_give_the_same_synthetic_rows_and_another_secret_others() -> None:
    one = shoal.anonymize(table(), POLICY, secret=SECRET).synthetic_rows()
    shuffled = table().sample(fraction=1.0, shuffle=True, seed=3)
    assert shoal.anonymize(shuffled, POLICY, secret=SECRET).synthetic_rows().equals(one)
    assert not shoal.anonymize(table(), POLICY, secret=bytes(32)).synthetic_rows().equals(one)


def test_no_row_is_drawn_by_the_seed_alone() -> None:
    first, second = (shoal.anonymize(table(), POLICY, seed=7).synthetic_rows() for _ in range(2))
    assert not first.equals(second)


def test_the_folder_says_that_the_rows_are_made_up(written: Path) -> None:
    package = json.loads((written / "datapackage.json").read_text())
    made = package["resources"][1]
    assert (made["path"], package["shoal"]["synthetic"]) == ("synthetic.csv", "marginals")
    assert "Every row of this file is made up" in made["description"]
    assert "Every row of this file is made up" in (written / "codebook.html").read_text()
    certificate = Certificate.from_json((written / "certificate.json").read_text())
    assert certificate.policy["synthetic"] == "marginals"
    assert "no k is claimed of them" in str(certificate)
    assert (written / "synthetic.csv").read_text().splitlines()[0].startswith("birth_date,sex,zip,height_cm")


FORGERIES = {
    "a number outside its range": lambda made: made.with_columns(weight_kg=pl.lit("499.5")),
    "a name in the place of a label": lambda made: made.with_columns(sex=pl.lit("Anna Meyer")),
    "a name in the place of a code": lambda made: made.with_columns(zip=pl.lit("Anna Meyer")),
    "a date outside its range": lambda made: made.with_columns(birth_date=pl.lit("1801-01-01")),
    "no date": lambda made: made.with_columns(birth_date=pl.lit("Anna Meyer")),
    "a value that no group has": lambda made: made.with_columns(diagnosis=pl.lit("HIV")),
    "values of other groups": lambda made: made.with_columns(pl.col("diagnosis").reverse()),
    "a column more": lambda made: made.with_columns(name=pl.lit("Anna Meyer")),
    "a column less": lambda made: made.drop("zip"),
    "a row less": lambda made: made.head(made.height - 1),
    "rows in another order": lambda made: made.reverse(),
    "columns in another order": lambda made: made.select(reversed(made.columns)),
}


@pytest.mark.parametrize("what", FORGERIES)
def test_rows_that_cannot_have_been_drawn_are_refused(what: str, written: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    for file in written.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    made = pl.read_csv(folder / "synthetic.csv", infer_schema=False)
    FORGERIES[what](made).write_csv(folder / "synthetic.csv")
    certificate = Certificate.from_json((folder / "certificate.json").read_text())
    files = dict(certificate.files) | {"synthetic.csv": sha256_of(folder / "synthetic.csv")}
    (folder / "certificate.json").write_text(replace(certificate, files=files).to_public_json())
    found = shoal.verify(folder)
    assert {failure.check for failure in found.failures} == {"synthetic"}
    assert "Anna" not in " ".join(failure.message for failure in found.failures)


def test_the_honest_copy_holds(written: Path) -> None:
    assert shoal.verify(written).holds


def test_a_certificate_that_hides_the_synthetic_rows_is_refused(written: Path, tmp_path: Path) -> None:
    found = json.loads((written / "certificate.json").read_text())
    del found["policy"]["synthetic"]
    with pytest.raises(ParameterError, match="files"):
        Certificate.from_json(json.dumps(found))


@pytest.mark.parametrize("publication", ["aggregate", "centers"])
def test_forms_without_ranges_are_refused_in_one_sentence(publication: str) -> None:
    with pytest.raises(ParameterError, match="drawn from published ranges and sets"):
        shoal.anonymize(table(60).select("height_cm", "weight_kg"), quasi=["height_cm", "weight_kg"],
                        publication=publication, synthetic="copula")  # fmt: skip


def test_circles_are_refused_in_one_sentence() -> None:
    places = pl.DataFrame({"lat": np.linspace(50, 51, 20), "lon": np.linspace(8, 9, 20)})
    columns = {"lat": {"role": "quasi", "kind": "place", "longitude": "lon", "shape": "circle"},
               "lon": {"role": "quasi", "kind": "place"}}  # fmt: skip
    with pytest.raises(ParameterError, match="circles"):
        shoal.anonymize(places, {"k": 3, "synthetic": "marginals", "columns": columns})


def test_a_release_without_the_setting_has_none() -> None:
    release = shoal.anonymize(table(), POLICY | {"synthetic": None})
    with pytest.raises(ParameterError, match="asks for no synthetic rows"):
        _ = release.synthetic


def test_means_are_not_the_default_where_rows_are_to_be_drawn() -> None:
    columns = {"height_cm": {"role": "quasi", "kind": "number"}}
    forms = [choose(shoal.Policy(synthetic=how, columns=columns)).form for how in (None, "marginals")]
    assert forms == ["aggregate", "generalize"]


def test_a_copula_keeps_correlations_that_drawing_each_column_by_itself_loses() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=600)
    columns = {"a": x + 0.3 * rng.normal(size=600), "b": x + 0.3 * rng.normal(size=600), "pay": 1000 + 300 * x}
    people = pl.DataFrame({name: np.round(values, 2) for name, values in columns.items()})
    asked = {"quasi": ["a", "b"], "sensitive": "pay", "k": 60, "method": "mondrian"}
    found = {}
    for variant in ("marginals", "copula"):
        made = shoal.anonymize(people, **asked, synthetic=variant, secret=SECRET).synthetic
        found[variant] = [np.corrcoef(made[one], made[other])[0, 1] for one, other in (("a", "b"), ("a", "pay"))]
    truth = [np.corrcoef(people[one], people[other])[0, 1] for one, other in (("a", "b"), ("a", "pay"))]
    for true, by_copula, by_itself in zip(truth, found["copula"], found["marginals"], strict=True):
        assert abs(true - by_copula) < abs(true - by_itself) / 2


def test_attacks_on_synthetic_rows_are_compared_with_no_k(written: Path) -> None:
    found = shoal.attack(table(), written / "synthetic.csv", people=50)
    assert (found.k, found.exceeds) == (1, False)
    assert "made up" in str(found)


def test_a_plan_draws_synthetic_rows_of_the_next_table(tmp_path: Path) -> None:
    release = shoal.anonymize(table(), POLICY, secret=SECRET)
    june = shoal.apply(release.plan, hospital(160, seed=5).select(list(COLUMNS)), max_suppressed=0.9)
    june.write(tmp_path / "june")
    assert (tmp_path / "june" / "synthetic.csv").exists()
    assert shoal.verify(tmp_path / "june").holds


def test_tiny_tables_constants_and_columns_without_a_value() -> None:
    few = pl.DataFrame({"a": [1, 1, None], "b": ["x", "x", "x"], "c": [None] * 3}, schema_overrides={"c": pl.String})
    asked = {"k": 3, "quasi": ["a", "b"], "other": "c", "publish_rare": ["a", "b", "c"]}
    made = shoal.anonymize(few, asked_policy(asked), synthetic="copula").synthetic
    assert made["b"].to_list() == ["x"] * 3
    assert set(made["a"].to_list()) <= {1, None}
    assert made["c"].null_count() == 3


def asked_policy(asked: dict) -> dict:
    roles = {"quasi": asked["quasi"], "other": [asked["other"]]}
    columns = {name: {"role": role, "publish_rare": True} for role, names in roles.items() for name in names}
    return {"k": asked["k"], "columns": columns}


def test_frequencies_of_labels_are_those_of_exact_cells_where_all_are_exact() -> None:
    start, members = np.array([0, 1, 2, 4]), np.array([0, 1, 0, 1])
    exact = frequencies(2, np.array([0, 0, 0, 1]), start, members)
    assert exact == pytest.approx([0.75, 0.25])
    mixed = frequencies(2, np.array([0, 0, 0, 1, 2, 2, 2, 2]), start, members)
    assert mixed == pytest.approx([0.75, 0.25], abs=1e-3)  # the fixed point: open cells follow the others


@pytest.mark.parametrize("variant", ["marginals", "copula"])
def test_longitudes_across_the_date_line_are_drawn_on_both_sides_of_it(variant: str, tmp_path: Path) -> None:
    """The range [179, -179] was drawn between -179 and 179, and the release failed its own check."""
    rng = np.random.default_rng(0)
    east = 179.5 + rng.random(60)
    frame = pl.DataFrame({
        "lat": np.round(-17 - rng.random(60), 3), "lon": np.round(np.where(east > 180, east - 360, east), 3),
        "ill": [("flu", "cold", "gout")[i % 3] for i in range(60)],
    })  # fmt: skip
    release = shoal.anonymize(
        frame, k=20, place={"lat": "lon"}, sensitive="ill", quasi=["lat", "lon"], synthetic=variant, secret=SECRET
    )
    release.write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").holds
    drawn = pl.read_csv(tmp_path / "out" / "synthetic.csv")["lon"]
    assert (drawn.abs() >= 179).all()
    assert (drawn > 0).any()
    assert (drawn < 0).any()
    forged = (tmp_path / "out" / "synthetic.csv").read_text().replace(str(drawn[0]), "12.5")
    (tmp_path / "out" / "synthetic.csv").write_text(forged)
    assert not shoal.verify(tmp_path / "out").holds


@pytest.mark.parametrize("ranges", ["brackets", "columns"])
@pytest.mark.parametrize("format", ["csv", "parquet", "arrow"])
@pytest.mark.parametrize("zone", [None, "UTC"])
def test_moments_in_nanoseconds_are_drawn_from_the_ends_of_their_ranges(
    zone: str | None, format: str, ranges: str, tmp_path: Path
) -> None:
    """In columns of their own they were drawn without their last digits: the release failed its own check."""
    rng = np.random.default_rng(4)
    at = pl.Series("at", rng.choice([1646000000001, 5153346607774, 5153346607779], 60)).cast(pl.Datetime("ns", zone))
    given = pl.DataFrame({"age": rng.integers(20, 60, 60), "at": at, "pay": rng.integers(0, 9, 60)})
    given = given.with_columns(at=pl.when(pl.Series(rng.random(60) > 0.1)).then(pl.col("at")))
    columns = {"age": {"role": "quasi"}, "at": {"role": "quasi"}, "pay": {"role": "sensitive"}}
    policy = {"k": 3, "publication": "generalize", "ranges": ranges, "synthetic": "copula", "columns": columns}
    shoal.anonymize(given, policy, secret=SECRET).write(tmp_path / "out", format=format)
    assert shoal.verify(tmp_path / "out").holds
    if format == "parquet" and ranges == "columns":
        drawn = pl.read_parquet(tmp_path / "out" / "synthetic.parquet")["at"]
        assert drawn.dtype == at.dtype
        assert set(drawn.drop_nulls()) <= set(at)
