"""What comes back: the same kind of frame, results that show themselves, pickle, and say what they are."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.datasets import hospital
from shoal.errors import ParameterError
from tests.api.cases import as_source
from tests.api.test_rules import policy, visits
from tests.fixed_secret import SECRET

SETTINGS: dict[str, Any] = {"quasi": ["height_cm", "weight_kg"], "sensitive": ["diagnosis"], "k": 5, "secret": SECRET}


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    return hospital(120).select("height_cm", "weight_kg", "diagnosis")


@pytest.fixture(scope="module")
def release(table: pl.DataFrame) -> shoal.Release:
    return shoal.anonymize(table, **SETTINGS)


@pytest.mark.parametrize(
    ("kind", "returned"),
    [
        ("polars", pl.DataFrame),
        ("pandas", pd.DataFrame),
        ("pyarrow", pa.Table),
        ("csv", pl.DataFrame),
        ("parquet", pl.DataFrame),
        ("arrow", pl.DataFrame),
    ],
)
def test_the_same_kind_of_frame_comes_back_with_the_same_release(
    kind: str, returned: type, table: pl.DataFrame, release: shoal.Release, tmp_path: Path
) -> None:
    found = shoal.anonymize(as_source(table, kind, tmp_path), **SETTINGS)
    assert isinstance(found.table, returned)
    assert found.published.frame.equals(release.published.frame)
    written = found.write(tmp_path / "out")
    suffix = kind if kind in ("csv", "parquet", "arrow") else "csv"
    assert [file.suffix for file in (tmp_path / "out").glob("release*")] == [f".{suffix}"]
    assert written.certificate.published_sha256 == written.findings.sha256
    assert found.certificate.published_sha256 == "", "nothing was written when it was issued"


def test_a_lazy_frame_comes_back_lazy(table: pl.DataFrame, release: shoal.Release) -> None:
    found = shoal.anonymize(table.lazy(), **SETTINGS).table
    assert isinstance(found, pl.LazyFrame)
    assert found.collect().equals(release.table)


def test_types_and_order_of_columns_are_kept() -> None:
    table = visits().with_columns(
        pl.col("ill").cast(pl.Categorical), pl.col("remark").cast(pl.Enum(visits()["remark"]))
    )
    found = shoal.anonymize(table.to_pandas(), policy(publication="aggregate")).table
    assert list(found.columns) == ["patient", "age", "age_missing", "town", "ill", "remark"]
    assert isinstance(found["ill"].dtype, pd.CategoricalDtype)
    whole = shoal.anonymize(table, policy(publication="aggregate")).table.schema
    assert dict(whole) == {
        "patient": pl.Int64,
        "age": pl.Int64,
        "age_missing": pl.Int64,
        "town": pl.String,
        "ill": pl.Categorical,
        "remark": whole["remark"],
    }
    assert isinstance(whole["remark"], pl.Enum)
    known = shoal.anonymize(table.drop_nulls("age"), policy(publication="aggregate")).table
    assert known.columns == ["patient", "age", "town", "ill", "remark"], "nothing is missing beside any mean"


def test_the_input_frame_is_not_changed() -> None:
    for frame in (visits(), visits().to_pandas(), visits().to_arrow()):
        before = pickle.dumps(frame)
        shoal.anonymize(frame, policy())
        assert pickle.dumps(frame) == before


def test_results_show_themselves_in_notebooks(table: pl.DataFrame, release: shoal.Release) -> None:
    verified = shoal.verify(release.table, release.policy)
    profile = shoal.profile(table)
    compared = shoal.compare(table, k=[2, 5], **{name: SETTINGS[name] for name in ("quasi", "sensitive", "secret")})
    for result in (release, release.certificate, release.loss, release.risk, verified, profile, compared):
        shown = result._repr_html_()
        assert shown.startswith("<div"), type(result).__name__
        assert shown.count("<div") == shown.count("</div>")
        assert not re.search(r"""(?:src|href)=["'](?:https?:)?//""", shown), "opens without a network"
    assert "diagnosis" in profile._repr_html_()


def test_a_failed_verification_shows_that_it_failed(release: shoal.Release) -> None:
    found = shoal.verify(release.table.head(7), release.policy)
    assert not found.holds
    assert "k-anonymity" in found._repr_html_()
    assert str(found) != str(shoal.verify(release.table, release.policy))


def test_a_release_pickles_with_all_it_says(release: shoal.Release, table: pl.DataFrame) -> None:
    again = pickle.loads(pickle.dumps(release))
    assert again.table.equals(release.table)
    assert again.certificate == release.certificate
    assert again.mapping().equals(release.mapping())
    for frame in (table.to_pandas(), table.to_arrow()):
        returned = pickle.loads(pickle.dumps(shoal.anonymize(frame, **SETTINGS)))
        assert type(returned.table) is type(frame)


def test_an_error_pickles_with_its_hint(table: pl.DataFrame) -> None:
    with pytest.raises(shoal.InfeasibleError) as refused:
        shoal.anonymize(table, **SETTINGS | {"k": 1000})
    again = pickle.loads(pickle.dumps(refused.value))
    assert (again.message, again.hint, again.exit_code) == (refused.value.message, refused.value.hint, 3)


def test_the_report_is_one_page_that_opens_without_a_network(release: shoal.Release, tmp_path: Path) -> None:
    release.write(tmp_path / "out")
    page = (tmp_path / "out.private" / "report.html").read_text(encoding="utf-8")
    assert page.lower().startswith("<!doctype html>")
    assert not re.search(r"""(?:src|href)=["'](?:https?:)?//|@import|url\((?!["']?data:)""", page)
    assert "release.csv" in page


def test_plain_data_of_a_release_is_json_and_keeps_the_seed_to_itself(release: shoal.Release) -> None:
    told = json.loads(json.dumps(release.to_dict()))
    assert "seed" not in told
    assert told["claims"][0]["criterion"] == "k-anonymity"


def test_measures_are_plain_json(release: shoal.Release, tmp_path: Path) -> None:
    release.write(tmp_path / "out")
    text = (tmp_path / "out.private" / "measures.json").read_text(encoding="utf-8")
    found = json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
    assert set(found) == {"loss", "risk", "fingerprint"}


def test_a_comparison_has_one_row_per_k_l_and_method(table: pl.DataFrame) -> None:
    found = shoal.compare(
        table, quasi=["height_cm"], sensitive=["diagnosis"], identifier=["weight_kg"], k=[2, 5], l=[1, 2],
        methods=["mdav", "gather", "forest"], secret=SECRET,
    )  # fmt: skip
    assert found.table.height == 12
    assert found.table["k"].to_list() == [2, 5] * 6
    by_k = found.table.group_by("k").agg(pl.col("highest_risk").max())
    assert all(risk <= 1 / k + 1e-12 for k, risk in by_k.rows())
    same = shoal.anonymize(
        table,
        quasi=["height_cm"],
        sensitive=["diagnosis"],
        identifier=["weight_kg"],
        k=5,
        l=2,
        method="forest",
        secret=SECRET,
    )
    assert found.trials[-1].n_groups == same.partition.n_groups
    assert found.trials[-1].loss == same.loss.gcp


def test_a_comparison_without_k_is_refused(table: pl.DataFrame) -> None:
    with pytest.raises(ParameterError, match="at least one k"):
        shoal.compare(table, k=[], quasi=["height_cm"])


def test_a_profile_starts_a_policy_that_anonymizes_the_table(tmp_path: Path) -> None:
    table = hospital(300)
    shoal.profile(table).write(tmp_path / "policy.toml")
    release = shoal.anonymize(table, tmp_path / "policy.toml")
    assert release.findings.k >= 5
    assert "name" not in release.table.columns
    with pytest.raises(shoal.TableError, match="exists already"):
        shoal.profile(table).write(tmp_path / "policy.toml")
    shoal.profile(table).write(tmp_path / "policy.toml", force=True)
    assert shoal.Policy.load(tmp_path / "policy.toml") == shoal.profile(table).policy


def test_a_written_policy_finds_its_files_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "work" / "kept").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "work" / "ward.csv").write_text("a,x\nb,x\n")
    monkeypatch.chdir(tmp_path / "work")
    column = shoal.Column(role="quasi", hierarchy=shoal.Hierarchy(file=Path("ward.csv")))
    policy = shoal.Policy(columns={"ward": column})
    for place in ("policy.toml", "kept/policy.toml", "../elsewhere/policy.toml", tmp_path / "link" / "second.toml"):
        policy.write(place)
        monkeypatch.chdir("/")
        found = shoal.Policy.load(tmp_path / "work" / place).columns["ward"].hierarchy
        assert found is not None
        assert found.file is not None
        assert found.file.samefile(tmp_path / "work" / "ward.csv")
        monkeypatch.chdir(tmp_path / "work")


def test_a_policy_replaces_a_file_only_if_forced(tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text("mine")
    with pytest.raises(shoal.TableError, match=r"^policy\.toml exists already\.") as refused:
        shoal.Policy(k=7).write(file)
    assert "force=True" in str(refused.value)
    assert file.read_text() == "mine"
    shoal.Policy(k=7).write(file, force=True)
    assert shoal.Policy.load(file).k == 7


def test_an_attack_on_a_release_stays_below_what_k_promises(tmp_path: Path) -> None:
    table = hospital(200)
    roles = {"quasi": ["sex", "height_cm", "zip"], "sensitive": ["diagnosis"]}
    rest = [name for name in table.columns if name not in roles["quasi"] + roles["sensitive"]]
    release = shoal.anonymize(table, k=5, l=2, identifier=rest, seed=1, **roles)
    release.write(tmp_path / "out")
    for released in (release.table, tmp_path / "out" / "release.csv"):
        assert not shoal.attack(table, released, release.policy).exceeds
    # the original itself, with its identifiers taken out, is no release
    bare = table.select(roles["quasi"] + roles["sensitive"]).with_columns(pl.col("zip").cast(pl.String))
    assert shoal.attack(table, bare, release.policy).exceeds


def test_only_hierarchies_of_released_values_are_published(tmp_path: Path) -> None:
    """t over a hierarchy can be counted again by a stranger, who learns nothing of values that were left out."""
    (tmp_path / "ill.csv").write_text("flu;viral\ncold;viral\ngout;joint\nplague;secret\n", encoding="utf-8")
    ill = {
        "role": "sensitive",
        "hierarchy": tmp_path / "ill.csv",
        "closeness": {"t": 0.6, "distance": "hierarchical"},
    }
    columns = policy()["columns"] | {"ill": ill}
    for form in ("generalize", "centers"):
        shoal.anonymize(visits(), policy(columns=columns, publication=form)).write(tmp_path / "out")
        copied = (tmp_path / "out" / "ill.csv").read_text(encoding="utf-8")
        assert copied == "cold;viral;*\nflu;viral;*\ngout;joint;*\n"
        assert shoal.verify(tmp_path / "out" / "release.csv").t["ill"] <= 0.6
        by_plan = shoal.verify(tmp_path / "out" / "release.csv", tmp_path / "out.private" / "policy.toml")
        assert by_plan.holds


def test_a_hierarchy_that_would_overwrite_the_release_is_refused(tmp_path: Path) -> None:
    (tmp_path / "release.csv").write_text("flu;viral\ncold;viral\ngout;joint\n", encoding="utf-8")
    source = tmp_path / "release.csv"
    ill = {"role": "sensitive", "hierarchy": source, "closeness": {"t": 0.6, "distance": "hierarchical"}}
    release = shoal.anonymize(visits(), policy(columns=policy()["columns"] | {"ill": ill}))
    with pytest.raises(ParameterError, match="another file is called so"):
        release.write(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_sensitive_column_without_any_value_is_released_with_an_empty_hierarchy(tmp_path: Path) -> None:
    (tmp_path / "tree.csv").write_text("flu,airways\ngout,joints\n", encoding="utf-8")
    table = pl.DataFrame({"age": [30, 31, 50, 51], "ill": pl.Series([None] * 4, dtype=pl.String)})
    columns = {
        "age": {"role": "quasi"},
        "ill": {
            "role": "sensitive",
            "hierarchy": str(tmp_path / "tree.csv"),
            "closeness": {"t": 0.5, "distance": "hierarchical"},
        },
    }
    release = shoal.anonymize(table, {"k": 2, "columns": columns}).write(tmp_path / "out")
    assert (tmp_path / "out" / "tree.csv").read_text(encoding="utf-8") == ""
    assert shoal.verify(tmp_path / "out").t == {"ill": 0.0}
    assert release.findings.holds


def test_a_ratio_for_more_different_values_than_k_is_that_of_their_number(tmp_path: Path) -> None:
    """With l = 3 every group has three records, so the theorem speaks of 3 where k is 2."""
    table = pl.DataFrame({"sex": ["f"] * 3 + ["m"] * 3, "ill": ["flu", "gout", "cold"] * 2})
    release = shoal.anonymize(table, quasi=["sex"], sensitive=["ill"], k=2, l=3, method="forest")
    written = release.write(tmp_path / "out")
    assert written.certificate.ratio_proved == 5
    assert shoal.verify(tmp_path / "out").holds
