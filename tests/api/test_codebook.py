"""Every release carries a codebook, for people and for programs, that says no more and no less than the release."""

from __future__ import annotations

import csv
import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import frictionless
import polars as pl
import pytest

import shoal
from shoal.certify import sha256_of
from shoal.certify.codebook.kinds import Stated
from shoal.certify.codebook.package import ReleasedFile, data_package, to_text
from shoal.certify.codebook.page import codebook_page
from shoal.policy import Kind
from tests.api import test_left_out as left_out
from tests.api.described import FORMATS, FORMS, GERMAN, LONG, german, write
from tests.certify import releases

BOTH = ("codebook.html", "datapackage.json")


def valid(folder: Path) -> bool:
    """Whether `frictionless validate` finds nothing wrong with the package and with every cell of its table."""
    report = frictionless.validate(str(folder / "datapackage.json"))
    assert report.valid, [error.message for task in report.tasks for error in task.errors] or report.errors
    return True


def digest_again(folder: Path) -> None:
    """Put the digests of the codebook's files into the certificate, as a forger would."""
    path = folder / "certificate.json"
    told = json.loads(path.read_text())
    told["files"] |= {name: sha256_of(folder / name) for name in BOTH if (folder / name).exists()}
    path.write_text(json.dumps(told))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("written"), "generalize")


@pytest.fixture
def copied(written: Path, tmp_path: Path) -> Path:
    for file in written.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    return tmp_path


def fields(folder: Path) -> dict[str, Any]:
    package = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
    return {field["name"]: field for field in package["resources"][0]["schema"]["fields"]}


@pytest.mark.parametrize("form", FORMS)
def test_a_release_of_every_form_has_a_codebook_that_other_programs_accept(tmp_path: Path, form: str) -> None:
    folder = write(tmp_path, form)
    assert shoal.verify(folder).holds
    with (folder / "release.csv").open(encoding="utf-8", newline="") as file:
        assert list(fields(folder)) == next(csv.reader(file))
    assert valid(folder)


@pytest.mark.parametrize("format", FORMATS[1:])
def test_binary_files_have_one_too(tmp_path: Path, format: str) -> None:
    folder = write(tmp_path, "generalize", format=format, ranges="columns")
    assert shoal.verify(folder).holds
    found = fields(folder)
    kinds = {name: found[name]["type"] for name in ("age_min", "age_missing", "born_min", "cost", "code")}
    assert kinds == {
        "age_min": "integer", "age_missing": "boolean", "born_min": "date", "cost": "number", "code": "string",
    }  # fmt: skip


def test_a_german_file_with_people_in_several_rows_is_described_as_it_is_written(tmp_path: Path) -> None:
    shoal.anonymize(german(tmp_path / "klinik.csv"), GERMAN).write(tmp_path / "out")
    folder = tmp_path / "out"
    assert shoal.verify(folder).holds
    found = fields(folder)
    assert (found["Kosten"]["type"], found["Kosten"]["decimalChar"]) == ("number", ",")
    examples = [cell["example"] for cell in found["Geburt"]["shoal"]["cells"]]
    assert "[05.03.1984, 20.11.1986]" in examples
    assert found["Patient"]["shoal"]["role"] == "person"
    assert json.loads((folder / "datapackage.json").read_text("utf-8"))["resources"][0]["encoding"] == "cp1252"
    assert valid(folder)


def test_what_is_counted_in_a_codebook_is_in_the_table(written: Path) -> None:
    table, found = pl.read_csv(written / "release.csv", infer_schema=False), fields(written)
    exact = table.select(~pl.col("age").str.contains(r"^\[|or missing$|\*").fill_null(False)).to_series().sum()
    assert found["age"]["shoal"]["exact"] == exact
    assert found["illness"]["shoal"]["exact"] == table.height
    assert found["illness"]["shoal"]["empty"] == table["illness"].null_count() > 0
    levels = found["zip"]["shoal"]["levels"]
    assert sum(one["cells"] for one in levels) == table.height
    for one in levels:
        assert all(node.count("*") == one["level"] or node == "*" for node in one["nodes"])


def test_the_page_has_no_scripts_and_every_column(written: Path) -> None:
    page = (written / "codebook.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "&lt;script&gt;alert" in page
    assert LONG in page
    assert "http" not in page.replace("http-equiv", "")
    assert "default-src 'none'" in page
    assert all(claim in page for claim in ("at least 3 rows", "shoal verify FOLDER"))


def test_a_page_says_what_was_recoded_left_out_and_made_up(tmp_path: Path) -> None:
    table = left_out.people()
    asked = left_out.policy({"zip": {"hierarchy": {"prefix": True}}})
    asked["columns"]["salary"] = {"role": "other", "top": 50_000}
    asked |= {"method": "full-domain", "publication": "generalize"}
    written = shoal.anonymize(table, asked | {"max_suppressed": 0.5}).write(tmp_path / "out")
    page = (tmp_path / "out" / "codebook.html").read_text(encoding="utf-8")
    assert "50000 stands for 50000 or more" in page
    n = written.certificate.suppressed
    assert n > 1
    assert f"{n} rows of the original table were left out." in page
    made = json.loads((tmp_path / "out" / "datapackage.json").read_text(encoding="utf-8"))
    assert "made up.</p>" not in page
    made["shoal"]["counterfeits"] = 1
    assert "1 row of the release was made up.</p>" in codebook_page(made)


def test_nothing_of_suppressed_rows_or_of_the_source_is_in_a_codebook(tmp_path: Path) -> None:
    table = left_out.people()
    asked = left_out.policy({"salary": {}, "zip": {"hierarchy": {"prefix": True}}, "town": {"kind": "label"}})
    asked |= {"method": "full-domain"}
    source = tmp_path / "name-of-the-clinic.csv"
    table.write_csv(source)
    release = shoal.anonymize(source, asked)
    assert release.certificate.suppressed >= left_out.OUT
    release.write(tmp_path / "out")
    for name in BOTH:
        text = (tmp_path / "out" / name).read_text(encoding="utf-8")
        assert not any(told in text for told in ("Nowhere", "9999", "987654", "name-of-the-clinic", str(tmp_path)))
        assert str(len(table)) not in text.replace(release.findings.sha256 or "-", "")


def forged(folder: Path, change: Any) -> set[str]:
    package = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
    change(package)
    (folder / "datapackage.json").write_text(json.dumps(package, indent=2, ensure_ascii=False) + "\n", "utf-8")
    digest_again(folder)
    return {failure.check for failure in shoal.verify(folder).failures}


def test_a_codebook_written_again_without_a_change_is_accepted(copied: Path) -> None:
    assert forged(copied, lambda package: None) == set()


@pytest.mark.parametrize(
    "change",
    [
        lambda package: package["shoal"].update(k=50),
        lambda package: package["shoal"]["claims"][0].update(measured=50),
        lambda package: package.update(note="Zacharias has flu"),
        lambda package: package["resources"][0].update(bytes=1),
        lambda package: package["resources"][0]["schema"]["fields"][0]["shoal"].update(exact=1),
        lambda package: package["resources"][0]["schema"]["fields"][0]["shoal"].update(kind="place"),
        lambda package: package["resources"][0]["schema"]["fields"][3]["shoal"].update(kind="date"),
        lambda package: package["resources"][0]["schema"]["fields"][4]["shoal"]["levels"][-1]["nodes"].append("Zac"),
        lambda package: package["resources"][0]["schema"]["fields"].pop(0),
        lambda package: package.clear(),
    ],
)
def test_a_data_package_that_says_anything_else_is_refused(copied: Path, change: Any) -> None:
    assert "codebook" in forged(copied, change)


def test_a_page_that_says_anything_else_is_refused(copied: Path) -> None:
    page = copied / "codebook.html"
    page.write_text(page.read_text("utf-8").replace("at least 3 rows", "at least 50 rows"), "utf-8")
    assert {failure.check for failure in shoal.verify(copied).failures} == {"folder", "codebook"}
    digest_again(copied)
    assert {failure.check for failure in shoal.verify(copied).failures} == {"codebook"}


def test_half_a_codebook_is_no_codebook(copied: Path) -> None:
    (copied / "codebook.html").unlink()
    assert not shoal.verify(copied).holds
    path = copied / "certificate.json"
    told = json.loads(path.read_text())
    del told["files"]["codebook.html"]
    path.write_text(json.dumps(told))
    with pytest.raises(shoal.ParameterError, match="lists other files"):
        shoal.verify(copied)


def test_a_release_of_an_earlier_version_has_no_codebook_and_still_holds(copied: Path) -> None:
    path = copied / "certificate.json"
    told = json.loads(path.read_text())
    for name in BOTH:
        (copied / name).unlink()
        del told["files"][name]
    path.write_text(json.dumps(told))
    assert shoal.verify(copied).holds


def test_the_words_of_format_1_do_not_change(tmp_path: Path) -> None:
    """Later versions must verify a release that was written: other words need a new format beside this one."""
    frame, asked = releases.release(), releases.policy()
    certificate = releases.written(tmp_path, frame, asked)[1]
    kinds: tuple[Kind, ...] = ("number", "date", "ordered", "label", "hierarchy", "region", "place")
    read = hashlib.sha256()
    for form in FORMS:
        for kind in kinds:
            stated = {"age": Stated(kind, {"40": 1} if kind in ("number", "date") else None), "city": Stated(kind)}
            file = ReleasedFile(frame=frame, name="release.csv", size=9, sha256="0" * 64, encoding="utf-8")
            made = data_package(file, replace(certificate, form=form), asked, stated, {})
            read.update((to_text(made) + codebook_page(made)).encode("utf-8"))
    assert read.hexdigest() == "2d76b9571c535dc6cebd3018d5a5741239b452dc79650c21a7ab0ec1781e51bc"
