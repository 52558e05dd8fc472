"""A codebook is read strictly and written again: it says nothing that the release does not say."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import polars as pl
import pytest

from shoal.certify import Certificate
from shoal.certify.codebook.check import check_codebook, file_facts, misfits, stated_kinds
from shoal.certify.codebook.kinds import KINDS, Stated
from shoal.certify.codebook.package import ReleasedFile, data_package, to_text
from shoal.certify.codebook.page import codebook_page
from shoal.certify.metadata.texts import metadata_files
from shoal.certify.reduced import reduce
from shoal.policy import Policy
from shoal.tables import write_file

QUASI = {"role": "quasi"}
DIGEST = "ab" * 32
FRAME = pl.DataFrame({"age": ["[1, 2]", "[1, 2]", "3"], "zip": ["1*", "12", None], "ill": ["flu", None, "ü"]})
POLICY: dict[str, Any] = {"k": 2, "columns": {"age": QUASI, "zip": QUASI, "ill": {"role": "sensitive"}}}
STATED = {"age": Stated("number"), "zip": Stated("hierarchy", {"1*": 1})}


def policy(**more: Any) -> Policy:
    return Policy.parse(POLICY | more)


def certificate(*files: str) -> Certificate:
    told = SimpleNamespace(form="generalize", rows=3, n_groups=2, suppressed=0, counterfeits=0, claims=())
    told.files = dict.fromkeys(files, DIGEST)
    return cast(Certificate, told)


FILE = ReleasedFile(frame=FRAME, name="release.csv", size=9, sha256=DIGEST, encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A codebook as it should be."""
    return described(tmp_path, policy())


def described(folder: Path, asked: Policy, legend: Any = None) -> Path:
    made = data_package(FILE, certificate(), asked, STATED, legend or {})
    texts = {"datapackage.json": to_text(made), "codebook.html": codebook_page(made)}
    for name, text in (texts | metadata_files(made, asked.metadata)).items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def found(folder: Path, asked: Policy | None = None, *files: str, file: ReleasedFile = FILE) -> list[tuple[Any, ...]]:
    failures = check_codebook(folder, file, certificate(*files), asked or policy())
    assert {failure.check for failure in failures} <= {"codebook"}
    return [(failure.message, failure.column) for failure in failures]


UNREAD = [("datapackage.json cannot be read, or does not say what the columns are", None)]
UNFIT = [("datapackage.json does not fit the released table", None)]


def other(*names: str) -> list[tuple[Any, ...]]:
    return [(f"{name} says something else than the release and its certificate", None) for name in names]


def test_a_codebook_as_it_was_written_is_right(folder: Path) -> None:
    assert found(folder) == []


@pytest.mark.parametrize("name", ["datapackage.json", "codebook.html"])
def test_what_stands_behind_its_end_is_noticed(folder: Path, name: str) -> None:
    with (folder / name).open("a", encoding="utf-8") as file:
        file.write("\n")
    assert found(folder) == other(name)


def test_a_page_that_is_absent_is_noticed(folder: Path) -> None:
    (folder / "codebook.html").unlink()
    assert found(folder) == other("codebook.html")


def test_another_table_is_noticed_on_both_pages(folder: Path) -> None:
    less = ReleasedFile(frame=FRAME.head(2), name="release.csv", size=9, sha256=DIGEST, encoding="utf-8")
    assert found(folder, file=less) == other("datapackage.json", "codebook.html")


@pytest.mark.parametrize("content", [None, b"", b"{", b"\xff", b"[]", b'{"a": 1, "a": 2}', b'{"resources": []}'])
def test_a_package_that_cannot_be_read_is_one_failure(folder: Path, content: bytes | None) -> None:
    if content is None:
        (folder / "datapackage.json").unlink()
    else:
        (folder / "datapackage.json").write_bytes(content)
    assert found(folder) == UNREAD


def changed(folder: Path, change: Callable[[list[dict[str, Any]]], object]) -> None:
    """Change what the package says of the columns."""
    package = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
    change([field["shoal"] for field in package["resources"][0]["schema"]["fields"]])
    (folder / "datapackage.json").write_text(to_text(package), encoding="utf-8")


def test_a_kind_that_the_cells_refute_is_named_with_its_column(folder: Path) -> None:
    changed(folder, lambda about: about[1].update(kind="date", levels=[]))
    wrong = "datapackage.json: column zip is not as stated: 1 of its values are not dates"
    assert found(folder) == [(wrong, "zip")]


def test_a_table_that_lacks_a_column_does_not_fit(folder: Path) -> None:
    less = ReleasedFile(frame=FRAME, name="release.parquet", size=9, sha256=DIGEST, schema={"age": pl.String()})
    assert found(folder, file=less) == UNFIT
    strange = ReleasedFile(frame=FRAME, name="release.pdf", size=9, sha256=DIGEST)
    assert found(folder, file=strange) == UNFIT


def test_the_legend_that_a_codebook_repeats_is_read_if_the_certificate_lists_it(tmp_path: Path) -> None:
    asked = policy(columns=POLICY["columns"] | {"zip": QUASI | {"kind": "label"}})
    kinds = {"age": Stated("number"), "zip": Stated("label")}
    legend = {"zip": [{"class": "1*", "labels": ["11", "12"]}, {"class": "12", "labels": ["12"]}]}
    classes = {"zip": (("1*", ("11", "12")), ("12", ("12",)))}
    for given, exact in (({}, 3), (classes, 2)):
        made = data_package(FILE, certificate(), asked, kinds, given)
        assert made["resources"][0]["schema"]["fields"][1]["shoal"]["exact"] == exact
        (tmp_path / "datapackage.json").write_text(to_text(made), encoding="utf-8")
        (tmp_path / "codebook.html").write_text(codebook_page(made), encoding="utf-8")
        (tmp_path / "legend.json").write_text("{", encoding="utf-8")
        listed = [("legend.json, which the codebook repeats, cannot be read", None)]
        assert found(tmp_path, asked, "legend.json") == listed
        assert (found(tmp_path, asked) == []) == (given == {})
        (tmp_path / "legend.json").write_text(json.dumps(legend), encoding="utf-8")
    assert found(tmp_path, asked, "legend.json") == []


def test_descriptions_for_catalogs_are_written_again_too(tmp_path: Path) -> None:
    asked = policy(metadata={"formats": ["ddi", "croissant"]})
    assert found(described(tmp_path, asked), asked) == []
    (tmp_path / "ddi.xml").write_text("", encoding="utf-8")
    assert found(tmp_path, asked) == other("ddi.xml")


def told(**about: Any) -> dict[str, Any]:
    return {"shoal": {"column": "age", "role": "quasi", "part": "value", "kind": "number"} | about}


def package(*fields: Any) -> Any:
    return {"resources": [{"schema": {"fields": list(fields)}}]}


ZIP = {"column": "zip", "kind": "label"}
LEVELS = [{"level": 0, "nodes": ["a"]}, {"level": 1, "nodes": ["1*", "2*"]}, {"level": 2, "nodes": ["*"]}]


@pytest.mark.parametrize(
    ("fields", "kinds"),
    [
        ([told(), told(**ZIP)], {"age": Stated("number"), "zip": Stated("label")}),
        ([told(**ZIP), told()], {"age": Stated("number"), "zip": Stated("label")}),
        ([told(part="min"), told(part="max", kind="date"), told(part="missing", kind="date"), told(**ZIP)],
         {"age": Stated("number"), "zip": Stated("label")}),
        ([told(role="other", column="zip"), told(), told(**ZIP)], {"age": Stated("number"), "zip": Stated("label")}),
        ([told(), told(**ZIP, levels=LEVELS)],
         {"age": Stated("number"), "zip": Stated("label", {"1*": 1, "2*": 1, "*": 2})}),
        ([told(levels=[]), told(**ZIP)], {"age": Stated("number", {}), "zip": Stated("label")}),
        ([told(), told(**ZIP), told(column="stranger")], {"age": Stated("number"), "zip": Stated("label")}),
    ],
)  # fmt: skip
def test_kinds_and_levels_are_read_of_the_quasi_identifiers(fields: list[Any], kinds: dict[str, Stated]) -> None:
    read = stated_kinds(package(*fields), policy())
    assert read == kinds
    assert list(read) == ["age", "zip"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_a_policy_can_be_stated(kind: str) -> None:
    assert stated_kinds(package(told(kind=kind), told(**ZIP)), policy())["age"].kind == kind


@pytest.mark.parametrize(
    "package",
    [
        {}, [], None, "text", 5, {"resources": []}, {"resources": {}}, {"resources": [{"schema": {}}]}, package(),
        package(told()), package(told(**ZIP)), package({}), package({"shoal": {}}), package({"shoal": []}),
        package(told(part="max"), told(**ZIP)), package(told(role="other"), told(**ZIP)),
        package(told(kind="NUMBER"), told(**ZIP)), package(told(kind=None), told(**ZIP)),
        package(told(kind=[]), told(**ZIP)), package(told(levels=[{}]), told(**ZIP)),
        package(told(levels=[{"level": 1}]), told(**ZIP)), package(told(levels=5), told(**ZIP)),
        package(told(levels=[{"level": 1.0, "nodes": ["a"]}]), told(**ZIP)),
        package(told(levels=[{"level": True, "nodes": ["a"]}]), told(**ZIP)),
        package(told(levels=[{"level": "1", "nodes": ["a"]}, {"level": 2, "nodes": ["b"]}]), told(**ZIP)),
        package(told(levels=[{"level": 1, "nodes": [["a"]]}]), told(**ZIP)),
    ],
)  # fmt: skip
def test_a_package_that_does_not_say_what_the_columns_are_is_refused(package: Any) -> None:
    with pytest.raises(ValueError, match=r"^$"):
        stated_kinds(package, policy())


def test_every_end_and_value_is_checked_as_it_is_written() -> None:
    columns = {
        "size": QUASI | {"number": {"decimal": ","}},
        "seen": QUASI | {"format": "%d.%m.%Y"},
        "born": QUASI,
        "it": QUASI,
    }
    asked = Policy.parse({"k": 2, "columns": columns, "ranges": "columns"})
    stated = {"size": Stated("number"), "seen": Stated("date"), "born": Stated("date"), "it": Stated("number")}
    right = {"size": ["1,5"], "seen": ["01.02.2020"], "born_min": ["2020-02-01"], "born_max": [None]}
    right |= {"born_missing": ["true"], "it": ["5 or missing"]}
    assert misfits(pl.DataFrame(right), asked, stated) == {}
    for name, column, kind in (("born_min", "born", "date"), ("born_max", "born", "date"), ("it", "it", "number")):
        wrong = f"column {column} is not as stated: 1 of its values are not {kind}s"
        assert misfits(pl.DataFrame(right | {name: ["five"]}), asked, stated) == {column: wrong}
    assert misfits(pl.DataFrame({"born_missing": ["five"], "other": ["five"]}), asked, stated) == {}


def test_a_limit_is_checked_without_its_sign() -> None:
    asked = Policy.parse({"k": 2, "columns": {"age": QUASI | {"top": 90, "bottom": 5}}})
    frame = pl.DataFrame({"age": [">=90", "<=5", "[<=5, 20]", "[20, >=90]", "7"]})
    assert misfits(frame, asked, {"age": Stated("number")}) == {}


TABLE = pl.DataFrame({"a": ["x", "ü"], "b": ["1", "2"]})


@pytest.mark.parametrize(
    ("start", "encoding", "name", "separator"),
    [
        (b"a,b\nx,1\n", None, "utf-8", ","),
        (b"\xef\xbb\xbfa;b\nx;1\n", None, "utf-8-sig", ";"),
        (b"a\tb\nx\t1\n", "utf-8", "utf-8", "\t"),
        ("a;b\nü;1\n".encode("cp1252"), "cp1252", "cp1252", ";"),
        (b"\xef\xbb\xbfa,b\nx,1\n", "utf-8", "utf-8", ","),
        ("a;b\nü;1\n".encode("utf-16"), "utf-16", "utf-16", ";"),
        ("a;b\nü;1\n".encode("cp037"), "cp037", "cp037", ";"),
    ],
)
def test_the_facts_of_a_csv_file_are_those_that_it_shows(
    tmp_path: Path, start: bytes, encoding: str | None, name: str, separator: str
) -> None:
    path = tmp_path / "release.csv"
    path.write_bytes(start)
    facts = file_facts(path, TABLE, DIGEST, encoding)
    assert (facts.name, facts.size, facts.sha256, facts.kind) == ("release.csv", len(start), DIGEST, "csv")
    assert (facts.encoding, facts.separator, facts.schema, facts.names) == (name, separator, None, ())
    assert facts.frame is TABLE
    assert facts.reduced is None


def test_of_a_file_that_is_read_in_parts_only_the_beginning_shows_the_separator(tmp_path: Path) -> None:
    path = tmp_path / "release.csv"
    path.write_text("age;ill\n1;2\n", encoding="utf-8")
    asked = Policy.parse({"k": 2, "columns": {"age": QUASI, "ill": {"role": "sensitive"}}})
    reduced = reduce([pl.DataFrame({"age": ["1"], "ill": ["2"]})], asked, "generalize")
    facts = file_facts(path, TABLE, DIGEST, None, reduced)
    assert (facts.separator, facts.encoding) == (";", "utf-8")
    assert facts.reduced is reduced


@pytest.mark.parametrize("kind", ["parquet", "arrow", "xlsx"])
def test_a_binary_file_has_types_of_its_own(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"release.{kind}"
    write_file(pl.DataFrame({"a": ["x", "ü"], "b": [1.5, 2.0]}), path)
    facts = file_facts(path, TABLE, DIGEST, None)
    assert facts.schema is not None
    assert dict(facts.schema) == {"a": pl.String(), "b": pl.Float64()}
    assert (facts.encoding, facts.separator, facts.names) == (None, ",", ())
    assert (facts.kind, facts.size) == (kind, path.stat().st_size)


@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow"])
def test_a_table_in_several_files_is_described_by_all_of_them(tmp_path: Path, kind: str) -> None:
    names = [f"release-0000{number}-of-00002.{kind}" for number in (1, 2)]
    for name in names:
        write_file(TABLE, tmp_path / name)
    facts = file_facts(tmp_path / names[1], TABLE, DIGEST, None)
    assert (facts.name, facts.names) == (names[0], tuple(names))
    assert facts.size == sum((tmp_path / name).stat().st_size for name in names)
