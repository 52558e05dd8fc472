"""`verify` by its ways: in parts and whole, by a rule alone, on Spark, in an encoding, by somebody's key."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

from shoal.certify import Certificate, Findings, reading, sha256_of, signature, verifier, verify
from shoal.certify.codebook.check import file_facts
from shoal.certify.codebook.kinds import Stated as Kinds
from shoal.certify.codebook.package import data_package, to_text
from shoal.certify.codebook.page import codebook_page
from shoal.certify.reading import Released
from shoal.errors import ParameterError
from shoal.policy import Policy
from shoal.tables import write_file
from tests.certify import releases

QUASI = {"role": "quasi"}


@pytest.fixture
def in_parts(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Every file is read in parts; whether it was, is written down."""
    monkeypatch.setattr(reading, "LARGE", dict.fromkeys(reading.LARGE, 0))
    told: list[bool] = []
    once = verifier._verified

    def noted(*given: Any, in_parts: bool, **more: Any) -> Findings:
        told.append(in_parts)
        return once(*given, in_parts=in_parts, **more)

    monkeypatch.setattr(verifier, "_verified", noted)
    return told


def facts(found: Findings) -> Any:
    return (
        found.rows,
        found.groups,
        found.k,
        found.l,
        found.t,
        found.claims,
        found.files,
        found.encoding,
        found.sha256,
    )


Change = Callable[[pl.DataFrame], pl.DataFrame]


@pytest.mark.parametrize(
    ("change", "ways"),
    [
        (lambda frame: frame, [True]),
        (lambda frame: frame.head(11), [True]),  # what is wrong is counted alike in parts
        (lambda frame: frame.with_columns(age=pl.lit("20").alias("age")), [True]),
        (lambda frame: frame.drop("diagnosis"), [True, False]),  # of a column that is absent, rows are counted whole
        (lambda frame: frame.with_columns(stranger=pl.lit("x")), [True, False]),
    ],
)
def test_in_parts_is_found_what_is_found_on_the_whole(
    tmp_path: Path, in_parts: list[bool], change: Change, ways: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, _ = releases.written(tmp_path, releases.release(), releases.policy())
    path.unlink()
    write_file(change(releases.release()), path)
    for policy in (None, releases.policy()):
        in_parts.clear()
        parts = verify(path, policy)
        assert in_parts == ways
        with monkeypatch.context() as patched:
            patched.setattr(reading, "LARGE", dict.fromkeys(reading.LARGE, 1 << 40))
            whole = verify(path, policy)
        assert facts(parts) == facts(whole)
        assert [vars_of(one) for one in parts.failures] == [vars_of(one) for one in whole.failures]


def vars_of(failure: Any) -> Any:
    return failure.check, failure.column, failure.message, failure.groups, failure.records


def test_centers_and_sets_are_read_whole(tmp_path: Path, in_parts: list[bool]) -> None:
    frame, asked = releases.centers()
    path, _ = releases.written(tmp_path, frame, asked, "centers")
    found = verify(path)
    assert found.form == "centers"
    assert in_parts == [True, False]
    in_parts.clear()
    sets = Policy.parse({"k": 2, "columns": {"it": QUASI | {"kind": "set"}, "age": QUASI}})
    path, _ = releases.written(tmp_path, pl.DataFrame({"age": ["1"] * 3, "it": ["a"] * 3}), sets)
    assert verify(path).holds
    assert in_parts == [True, False]


def certified(path: Path, frame: pl.DataFrame, encoding: str | None) -> Certificate:
    """A certificate of all files beside the table, which states the encoding of the table."""
    told = json.loads(releases.certified(path, frame, releases.policy()).to_public_json())
    told["policy"] |= {} if encoding is None else {"source": {"encoding": encoding}}
    told["files"] = {one.name: sha256_of(one) for one in path.parent.iterdir() if one.name != "certificate.json"}
    (path.parent / "certificate.json").write_text(json.dumps(told), encoding="utf-8")
    return Certificate.from_json(json.dumps(told))


def described(folder: Path, frame: pl.DataFrame, encoding: str | None) -> Path:
    """A release with a codebook; its file is written in the encoding."""
    path = folder / "release.csv"
    path.write_bytes(frame.write_csv().encode(encoding or "utf-8"))
    certificate = certified(path, frame, encoding)
    stated = {"age": Kinds("number"), "city": Kinds("label")}
    file = file_facts(path, frame, sha256_of(path), encoding)
    made = data_package(file, certificate, certificate.public_policy(), stated, {})
    (folder / "datapackage.json").write_text(to_text(made), encoding="utf-8")
    (folder / "codebook.html").write_text(codebook_page(made), encoding="utf-8")
    certified(path, frame, encoding)
    return path


@pytest.mark.parametrize("encoding", [None, "cp1252"])
def test_a_codebook_is_held_against_the_table_in_parts_too(
    tmp_path: Path, encoding: str | None, in_parts: list[bool]
) -> None:
    frame = releases.release().with_columns(city=pl.col("city").str.replace("A", "Ä"))
    path = described(tmp_path, frame, encoding)
    found = verify(path)
    assert [one.message for one in found.failures] == []
    assert found.encoding == encoding
    assert "codebook.html" in found.files
    page = tmp_path / "codebook.html"
    page.write_text(page.read_text(encoding="utf-8") + " ", encoding="utf-8")
    assert {one.check for one in verify(path).failures} == {"folder", "codebook"}


def test_a_text_is_read_in_the_encoding_of_the_policy_where_it_is_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes("age,ill\nü,1\nü,2\n".encode("cp437"))
    columns = {"age": QUASI | {"order": ["ü"], "kind": "ordered"}, "ill": {"role": "sensitive"}}
    asked = Policy.parse({"k": 2, "columns": columns, "source": {"encoding": "cp437"}})
    found = verify(path, asked)
    assert (found.k, found.encoding) == (2, None)
    frame = Released(reading.open_release(path, otherwise="cp437").frame).frame
    assert frame is not None
    assert frame["age"].to_list() == ["ü", "ü"]


def test_a_frame_has_no_encoding_even_if_its_certificate_states_one(tmp_path: Path) -> None:
    path, _ = releases.written(tmp_path, releases.release(), releases.policy())
    certified(path, releases.release(), "cp1252")
    assert verify(path).encoding == "cp1252"
    assert verify(releases.release(), tmp_path / "certificate.json").encoding is None


def test_a_rule_alone_says_nothing_but_its_lines(tmp_path: Path) -> None:
    rule = tmp_path / "own.toml"
    rule.write_text('title = "Rule"\nsource = "s"\n[[lines]]\nid = "1"\ntitle = "t"\nheadings = ["name"]\n')
    write_file(pl.DataFrame({"name": ["Ada", None]}), tmp_path / "table.csv")
    found = verify(tmp_path / "table.csv", preset=rule)
    assert (found.form, found.unit, found.rows, found.k) == ("unknown", "rows", 2, 0)
    assert [(one.check, one.message, one.records) for one in found.failures] == [
        ("preset", "Rule 1: name: 1 cell with values under a heading of this kind", 1)
    ]
    assert [line.verdict for line in found.lines] == ["breach"]
    assert found.sha256 is not None
    damaged = tmp_path / "table.parquet"
    damaged.write_bytes(b"no table")
    found = verify(damaged, preset=rule)
    assert [one.check for one in found.failures] == ["file"]
    assert (found.preset, found.lines) == ("Rule", ())


def test_a_rule_is_checked_beside_a_certificate(tmp_path: Path) -> None:
    rule = tmp_path / "own.toml"
    rule.write_text('title = "Rule"\nsource = "s"\nk = 4\n[[lines]]\nid = "1"\ntitle = "t"\nheadings = ["city"]\n')
    out = tmp_path / "out"
    out.mkdir()
    path, _ = releases.written(out, releases.release(), releases.policy())
    found = verify(path, preset=rule)
    assert [line.verdict for line in found.lines] == ["breach", "breach"]
    assert [one.check for one in found.failures] == ["preset", "preset"]
    assert found.k == 3


def test_a_signature_is_told(tmp_path: Path) -> None:
    key = signature.new_key(tmp_path / "steward.key")
    out = tmp_path / "out"
    out.mkdir()
    path, _ = releases.written(out, releases.release(), releases.policy())
    assert verify(path).signature is None
    missing = [one for one in verify(path, key=key).failures if one.check == "signature"]
    assert len(missing) == 1
    text = (out / "certificate.json").read_bytes()
    (out / "certificate.sig").write_bytes(signature.sign(text, tmp_path / "steward.key"))
    assert (verify(path).signature, verify(path, key=key).signature) == ("not checked", "valid")
    assert verify(path, key=key).holds


def test_a_key_without_any_certificate_is_a_failure(tmp_path: Path) -> None:
    key = signature.new_key(tmp_path / "steward.key")
    found = verify(releases.release(), releases.policy(), key=key)
    told = "there is no signed certificate beside the release"
    assert [one.message for one in found.failures if one.check == "signature"] == [told]


def test_another_certificate_is_counted_by_its_own_policy(tmp_path: Path) -> None:
    """The table holds by what the caller asks; the certificate speaks of a column that it does not have."""
    path, _ = releases.written(tmp_path, releases.release(), releases.policy())
    path.unlink()
    write_file(releases.release().drop("city"), path)
    columns = {name: role for name, role in releases.ROLES.items() if name != "city"}
    found = verify(path, Policy.parse({"k": 3, "columns": columns}))
    told = [(one.column, one.message) for one in found.failures if one.check == "certificate"]
    assert ("city", "by the certificate's own policy, column city is not in the release") in told
    assert any("another" in message or "SHA-256" in message for _, message in told)


@pytest.mark.parametrize(("person", "unit"), [(False, "rows"), (True, "people")])
def test_a_hierarchy_that_cannot_be_read_leaves_the_unit_of_the_policy(
    tmp_path: Path, person: bool, unit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame, asked = releases.with_people() if person else (releases.release(), releases.policy())
    path, _ = releases.written(tmp_path, frame, asked)

    def unreadable(*_given: Any, **_more: Any) -> Any:
        raise ParameterError("the hierarchy cannot be read.")

    monkeypatch.setattr(verifier, "inspect", unreadable)
    found = verify(path)
    assert (found.form, found.unit) == ("generalize", unit)
    assert ("folder", "the hierarchy cannot be read") in [(one.check, one.message) for one in found.failures]
    with pytest.raises(ParameterError):
        verify(path, asked)


class Spark:
    """Rows that Spark holds, as the verifier asks for them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, points: bool) -> None:
        self.asked: list[Any] = []
        self.rows, self.points = object(), points

        @contextmanager
        def door(released: Any, engine: Any, master: Any, preset: Any) -> Iterator[Any]:
            self.asked.append(("door", engine, master, preset))
            yield self

        def opened(released: Any, session: Any, *, ours: bool, with_cells: bool) -> Released:
            assert session is self
            self.asked.append((released, ours, with_cells))
            return Released(releases.release(), "ab", rows=self.rows)  # type: ignore[arg-type]

        def has_points(rows: Any, policy: Policy) -> bool:
            assert rows is self.rows
            assert isinstance(policy, Policy)
            return self.points

        def seen(opened: Released, policy: Policy, form: str) -> tuple[pl.DataFrame, None]:
            assert isinstance(policy, Policy)
            self.asked.append(form)
            return releases.release(), None

        monkeypatch.setattr(verifier, "on_spark", door)
        monkeypatch.setattr(verifier, "open_rows", opened)
        monkeypatch.setattr(verifier, "has_points", has_points)
        monkeypatch.setattr(verifier, "_seen", seen)


@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize("given", [False, True])
def test_spark_is_asked_for_cells_where_a_certificate_is_held_against_them(
    tmp_path: Path, beside: bool, given: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, elsewhere = tmp_path / "out", tmp_path / "home"
    out.mkdir()
    elsewhere.mkdir()
    path, certificate = releases.written(out, releases.release(), releases.policy())
    (elsewhere / "certificate.json").write_text(certificate.to_private_json(), encoding="utf-8")
    if not beside:
        (out / "certificate.json").unlink()
    spark = Spark(monkeypatch, points=False)
    verify(path, elsewhere / "certificate.json" if given else releases.policy(), engine="spark", master="local")
    assert spark.asked[:2] == [("door", "spark", "local", None), (path, beside, beside or given)]


@pytest.mark.parametrize(
    ("columns", "points", "form"),
    [
        ({"age": {"role": "quasi"}, "city": {"role": "quasi"}}, True, "aggregate"),
        ({"age": {"role": "quasi"}, "city": {"role": "quasi"}}, False, "generalize"),
        ({"age": {"role": "quasi"}, "city": {"role": "quasi", "kind": "label", "classes": "k"}}, True, "generalize"),
    ],
)
def test_the_form_on_spark_is_that_of_points_if_all_cells_are_points(
    columns: dict[str, Any], points: bool, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    spark = Spark(monkeypatch, points=points)
    asked = Policy.parse({"k": 3, "columns": columns})
    opened = Released(None, rows=spark.rows)  # type: ignore[arg-type]
    assert verifier._form(asked, opened) == form


def test_what_is_wrong_beside_a_release_is_added_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both the codebook and the synthetic rows are checked, on the policy, the table and the encoding stated."""
    asked: list[Any] = []

    def codebook(folder: Path, file: Any, certificate: Any, policy: Policy) -> list[str]:
        asked.append((folder, file, policy.synthetic))
        return ["codebook"]

    def rows(released: Path, frame: pl.DataFrame, policy: Policy, encoding: str | None) -> list[str]:
        asked.append((released, frame.height, policy.synthetic, encoding))
        return ["rows"]

    def described(released: Path, frame: pl.DataFrame, sha256: str, encoding: Any, reduced: Any) -> Any:
        return released, frame.height, sha256, encoding, reduced

    monkeypatch.setattr(verifier, "check_codebook", codebook)
    monkeypatch.setattr(verifier, "check_synthetic", rows)
    monkeypatch.setattr(verifier, "file_facts", described)
    path, policy = tmp_path / "release.csv", releases.policy(synthetic="marginals")
    certificate = SimpleNamespace(files={"codebook.html": "1"}, form="generalize")
    beside: Any = SimpleNamespace(certificate=certificate, policy=policy, folder=tmp_path)
    opened = Released(releases.release(), "ab")
    there = {"synthetic.csv": "2"}
    assert verifier._files_beside(path, opened, beside, there, "cp1252") == ["codebook", "rows"]
    assert asked == [
        (tmp_path, (path, 12, "ab", "cp1252", None), "marginals"),
        (path, 12, "marginals", "cp1252"),
    ]
    assert verifier._files_beside(path, opened, beside, {}, "cp1252") == ["codebook"]
    certificate.files = {}
    assert verifier._files_beside(path, opened, beside, there, None) == ["rows"]
    beside.policy = releases.policy()
    assert verifier._files_beside(path, opened, beside, there, None) == []
    certificate.files = {"codebook.html": "1"}
    asked.clear()
    parts = Released(None, scan=lambda: iter([releases.release()]))
    assert verifier._files_beside(path, parts, beside, there, None) == ["codebook"]
    ((_, file, _),) = asked
    assert file[2:4] == ("", None)
    assert file[4].height == 12
    beside.policy = policy
    with pytest.raises(reading.WholeError):
        verifier._files_beside(path, parts, beside, there, None)
