"""Descriptions for catalogs and archives: derived from the public folder, and refused if they say anything else."""

from __future__ import annotations

import hashlib
import json
import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.certify.files import METADATA
from shoal.certify.metadata.texts import metadata_files
from shoal.datasets import hospital
from shoal.errors import ParameterError
from shoal.policy.metadata import Metadata
from tests.cli.running import shoal as run

STATED = {
    "formats": list(METADATA),
    "title": "Stays <b> & more",
    "publisher": "The hospital",
    "license": "https://creativecommons.org/licenses/by/4.0/",
    "keywords": ["stays"],
    "language": "en",
    "issued": "2026-11-17",
}
ORDER = {
    "codeBook": "docDscr stdyDscr fileDscr dataDscr otherMat",
    "stdyDscr": "citation studyAuthorization stdyInfo studyDevelopment method dataAccs othrStdyMat notes",
    "citation": "titlStmt rspStmt prodStmt distStmt serStmt verStmt biblCit holdings notes",
    "titlStmt": "titl subTitl altTitl parTitl IDNo",
    "rspStmt": "AuthEnty othId",
    "prodStmt": "producer copyright prodDate prodPlac software fundAg grantNo",
    "distStmt": "distrbtr contact depositr depDate distDate",
    "verStmt": "version verResp notes",
    "stdyInfo": "studyBudget subject abstract sumDscr qualityStatement notes exPostEvaluation",
    "subject": "keyword topcClas",
    "sumDscr": "timePrd collDate nation geogCover geogUnit geoBndBox boundPoly anlyUnit universe dataKind",
    "method": "dataColl notes anlyInfo stdyClas dataProcessing codingInstructions",
    "dataColl": "timeMeth dataCollector collectorTraining frequenc sampProc sampleFrame targetSampleSize deviat "
    "collMode resInstru instrumentDevelopment sources collSitu actMin ConOps weight cleanOps",
    "dataAccs": "setAvail useStmt notes",
    "setAvail": "accsPlac origArch avlStatus collSize complete fileQnty notes",
    "fileDscr": "fileTxt locMap notes",
    "fileTxt": "fileName fileCitation dataFingerprint fileCont fileStrc dimensns fileType format filePlac dataChck "
    "ProcStat dataMsng software verStmt",
    "dataFingerprint": "digitalFingerprintValue algorithmSpecification algorithmVersion",
    "dimensns": "caseQnty varQnty logRecL recPrCas recNumTot",
    "dataDscr": "varGrp nCubeGrp var nCube notes",
    "var": "location labl imputation security embargo respUnit anlysUnit qstn valrng invalrng undocCod universe "
    "TotlResp sumStat txt stdCatgry catgryGrp catgry codInstr verStmt concept derivation varFormat geoMap "
    "catLevel notes",
}
"""The children of every element that has some, in the order of the schema of DDI-Codebook 2.5."""


def policy(**more: Any) -> dict[str, Any]:
    columns = {"birth_date": {"role": "quasi"}, "zip": {"role": "quasi"}, "diagnosis": {"role": "sensitive"}}
    return {"k": 5, "columns": columns, "dossier": {"purpose": "never to be seen"}} | more


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    return hospital(150).select("birth_date", "zip", "diagnosis")


@pytest.fixture(scope="module")
def made(table: pl.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("described") / "release"
    shoal.anonymize(table, policy(metadata=STATED), method="mondrian").write(out)
    return out


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "release"))


def certify_again(folder: Path, **changed: Any) -> None:
    """Do what a forger does: list every file with the digest that it has now."""
    path = folder / "certificate.json"
    certificate = json.loads(path.read_text()) | changed
    names = [file.name for file in folder.iterdir() if file != path]
    certificate["files"] = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}
    path.write_text(json.dumps(certificate, sort_keys=True, indent=2, ensure_ascii=False) + "\n")


def failures(folder: Path) -> str:
    return "; ".join(failure.message for failure in shoal.verify(folder).failures)


def test_every_file_is_listed_and_the_release_holds(made: Path) -> None:
    listed = json.loads((made / "certificate.json").read_text())["files"]
    assert set(METADATA.values()) <= set(listed)
    assert shoal.verify(made).holds
    assert shoal.read_release(made).height == 150


def test_they_follow_from_the_public_folder_alone(made: Path) -> None:
    package = json.loads((made / "datapackage.json").read_text())
    stated = json.loads((made / "certificate.json").read_text())["policy"]["metadata"]
    for name, text in metadata_files(package, Metadata(**stated)).items():
        assert (made / name).read_text(encoding="utf-8") == text
        assert "never to be seen" not in text
    assert not [file for file in made.iterdir() if b"never to be seen" in file.read_bytes()]


@pytest.mark.parametrize("name", METADATA.values())
def test_a_file_that_says_something_else_is_refused_even_if_its_digest_is_listed(folder: Path, name: str) -> None:
    text = (folder / name).read_text(encoding="utf-8")
    assert "The hospital" in text
    (folder / name).write_text(text.replace("The hospital", "The clinic"), encoding="utf-8")
    assert "another" in failures(folder)
    certify_again(folder)
    assert failures(folder) == f"{name} says something else than the release and its certificate"


@pytest.mark.parametrize("name", METADATA.values())
def test_a_file_that_hides_something_behind_its_end_is_refused(folder: Path, name: str) -> None:
    with (folder / name).open("a", encoding="utf-8") as file:
        file.write("\n<!-- row 17 is Ada -->")
    certify_again(folder)
    assert "says something else" in failures(folder)


def test_a_file_that_the_policy_does_not_ask_for_is_refused(table: pl.DataFrame, tmp_path: Path, made: Path) -> None:
    out = tmp_path / "plain"
    shoal.anonymize(table, policy(), method="mondrian").write(out)
    assert not set(METADATA.values()) & {file.name for file in out.iterdir()}
    shutil.copy(made / "croissant.json", out / "croissant.json")
    assert "does not list" in failures(out)
    certify_again(out)
    with pytest.raises(ParameterError, match="lists other files than its policy asks for"):
        shoal.verify(out)


def test_a_file_that_is_asked_for_and_absent_is_refused(folder: Path) -> None:
    (folder / "ddi.xml").unlink()
    assert "lacks what its certificate lists" in failures(folder)
    certify_again(folder)
    with pytest.raises(ParameterError, match="lists other files than its policy asks for"):
        shoal.verify(folder)


def test_descriptions_without_the_codebook_are_refused(folder: Path) -> None:
    for name in ("codebook.html", "datapackage.json"):
        (folder / name).unlink()
    certify_again(folder)
    with pytest.raises(ParameterError, match="without the codebook"):
        shoal.verify(folder)


def test_what_nobody_stated_is_marked_and_nothing_is_invented(made: Path) -> None:
    said = json.loads((made / "croissant.json").read_text())
    assert said["creator"]["name"] == said["version"] == "TO BE FILLED IN"
    assert said["publisher"]["name"] == "The hospital"
    health = json.loads((made / "health-dcat-ap.jsonld").read_text())
    assert health["dcatap:applicableLegislation"]["@id"] == "urn:x-to-be-filled-in:applicableLegislation"
    assert health["healthdcatap:numberOfRecords"]["@value"] == "150"
    assert "TO BE FILLED IN</AuthEnty>" in (made / "ddi.xml").read_text()


def test_croissant_describes_the_file_and_every_column(made: Path) -> None:
    said = json.loads((made / "croissant.json").read_text())
    assert said["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    file = said["distribution"][0]
    assert file["sha256"] == hashlib.sha256((made / file["contentUrl"]).read_bytes()).hexdigest()
    fields = said["recordSet"][0]["field"]
    header = pl.read_csv(made / "release.csv", infer_schema=False).columns
    assert [field["source"]["extract"]["column"] for field in fields] == header
    assert {field["source"]["fileObject"]["@id"] for field in fields} == {file["@id"]}
    assert {field["dataType"] for field in fields} == {"sc:Text"}  # ranges, masked codes and labels


@pytest.mark.parametrize("name", ["dcat-ap.jsonld", "health-dcat-ap.jsonld"])
def test_every_term_of_dcat_has_a_known_prefix(made: Path, name: str) -> None:
    said = json.loads((made / name).read_text())
    context = said.pop("@context")

    def terms(node: Any) -> list[str]:
        if isinstance(node, dict):
            return [key for key in node if not key.startswith("@")] + [t for v in node.values() for t in terms(v)]
        return [t for one in node for t in terms(one)] if isinstance(node, list) else []

    assert {term.partition(":")[0] for term in terms(said)} <= set(context)
    assert said["@type"] == "dcat:Dataset"
    for needed in ("dct:title", "dct:description", "dct:publisher", "dcat:contactPoint", "dcat:distribution"):
        assert said[needed]


def test_ddi_has_its_elements_in_the_order_of_the_schema(made: Path) -> None:
    root = ElementTree.parse(made / "ddi.xml").getroot()
    assert root.tag == "{ddi:codebook:2_5}codeBook"

    def check(node: ElementTree.Element) -> int:
        name = node.tag.removeprefix("{ddi:codebook:2_5}")
        children = [child.tag.removeprefix("{ddi:codebook:2_5}") for child in node]
        allowed = ORDER[name].split() if children else []
        assert [allowed.index(child) for child in children] == sorted(allowed.index(child) for child in children), (
            name
        )
        return 1 + sum(check(child) for child in node)

    assert check(root) > 30
    names = [node.get("name") for node in root.iter("{ddi:codebook:2_5}var")]
    assert names == pl.read_csv(made / "release.csv", infer_schema=False).columns


def test_any_heading_and_any_format_give_files_that_can_be_read(tmp_path: Path) -> None:
    names = ['a <b> & "c"', "d\x01e", "ü ]]> 日本"]
    table = pl.DataFrame({name: [1, 2, 3, 4] * 5 for name in names})
    columns = {names[0]: {"role": "quasi"}, names[1]: {"role": "other"}, names[2]: {"role": "sensitive"}}
    release = shoal.anonymize(table, {"k": 5, "metadata": {"formats": list(METADATA)}, "columns": columns})
    for form in ("csv", "parquet", "arrow", "xlsx"):
        release.write(tmp_path / form, format=form)
        assert shoal.verify(tmp_path / form).holds
        root = ElementTree.parse(tmp_path / form / "ddi.xml").getroot()
        assert len(list(root.iter("{ddi:codebook:2_5}var"))) == 3
        assert ("recordSet" in json.loads((tmp_path / form / "croissant.json").read_text())) == (
            form in ("csv", "parquet")
        )


def test_they_are_asked_for_by_a_flag_a_keyword_or_the_policy(table: pl.DataFrame, tmp_path: Path) -> None:
    table.write_csv(tmp_path / "visits.csv")
    roles = ["--quasi", "birth_date,zip", "--sensitive", "diagnosis", "--method", "mondrian"]
    ran = run("anonymize", tmp_path / "visits.csv", "-o", tmp_path / "out", *roles, "--metadata", "ddi,croissant")
    assert ran.code == 0, ran.err
    assert {"ddi.xml", "croissant.json"} <= {file.name for file in (tmp_path / "out").iterdir()}
    release = shoal.anonymize(table, policy(metadata={"title": "Stays"}), metadata="ddi", method="mondrian")
    assert release.policy.metadata == Metadata(formats=("ddi",), title="Stays")
    ran = run("anonymize", tmp_path / "visits.csv", "-o", tmp_path / "out2", *roles, "--metadata", "marc")
    assert ran.code == 2
    assert "croissant" in ran.err


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("license", "cc by"),
        ("url", "https://example.org/<a>"),
        ("title", "  "),
        ("title", "a\x07b"),
        ("contact", "ada"),
        ("language", "english"),
    ],
)
def test_a_statement_that_no_catalog_can_take_is_one_sentence(key: str, value: str) -> None:
    with pytest.raises(ParameterError, match=f"metadata.{key}"):
        shoal.Policy.parse(policy(metadata={key: value}))


def test_the_words_of_the_first_format_do_not_change() -> None:
    """A later version writes the files of a release again: other words would make it refuse what it wrote before.

    Words that change need a new format, written beside the old one.
    """
    about = {"rows": 12, "protects": "Nobody is found."}
    resource = {
        "path": "release.csv",
        "format": "csv",
        "mediatype": "text/csv",
        "bytes": 9,
        "hash": "sha256:" + "0" * 64,
    }
    resource |= {"encoding": "utf-8", "dialect": {"delimiter": ","}}
    kinds = ("integer", "number", "boolean", "date", "string")
    resource["schema"] = {"fields": [{"name": kind, "type": kind, "description": f"A {kind}."} for kind in kinds]}
    package = {"title": "A table", "shoal": about, "resources": [resource]}
    whole = dict.fromkeys(Metadata.model_fields, "words") | STATED | {"url": "https://a.org", "contact": "a@b.org"}
    whole |= {"access": "public", "health_category": "https://c.org", "legislation": "https://d.org"}
    read = hashlib.sha256()
    for stated in (whole, {"formats": list(METADATA)}):
        for text in metadata_files(package, Metadata(**stated)).values():
            read.update(text.encode("utf-8"))
    assert read.hexdigest() == "2e4bcab1698f3d719e69dc67a5c2e0eea642bc6aba5fd94001ba04e9e85a90c7"
