"""What the descriptions for catalogs say of single columns and files, written from data packages made by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest

from shoal.certify.files import METADATA
from shoal.certify.metadata.texts import metadata_files
from shoal.policy.metadata import Metadata


def described(fields: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    """A data package with the columns and what else is told of its file."""
    file = {"path": "release.csv", "format": "csv", "mediatype": "text/csv", "bytes": 9, "hash": "sha256:" + "0" * 64}
    resource = file | {"schema": {"fields": [{"description": "It."} | field for field in fields]}} | changes
    return {"title": "A table", "shoal": {"rows": 12, "protects": "Nobody."}, "resources": [resource]}


def written_as(name: str, package: dict[str, Any], **stated: Any) -> str:
    return metadata_files(package, Metadata(formats=(name,), **stated))[METADATA[name]]  # type: ignore[arg-type]


def croissant(fields: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(written_as("croissant", described(fields, **changes)))
    return read


@pytest.mark.parametrize(
    ("field", "kind"),
    [
        ({"type": "integer"}, "sc:Integer"),
        ({"type": "number"}, "sc:Float"),
        ({"type": "number", "decimalChar": "."}, "sc:Float"),
        ({"type": "number", "decimalChar": ","}, "sc:Text"),
        ({"type": "number", "groupChar": ","}, "sc:Text"),
        ({"type": "number", "groupChar": ""}, "sc:Float"),
        ({"type": "number", "bareNumber": False}, "sc:Text"),
        ({"type": "number", "bareNumber": True}, "sc:Float"),
        ({"type": "number", "decimalChar": ",", "bareNumber": True, "groupChar": ""}, "sc:Text"),
        ({"type": "date"}, "sc:Date"),
        ({"type": "date", "format": "default"}, "sc:Date"),
        ({"type": "date", "format": "%Y-%m-%d"}, "sc:Date"),
        ({"type": "date", "format": "%d.%m.%Y"}, "sc:Text"),
        ({"type": "datetime", "format": "any"}, "sc:Text"),
        ({"type": "integer", "format": "any"}, "sc:Integer"),
        ({"type": "boolean"}, "sc:Boolean"),
        ({"type": "yearmonth"}, "sc:Text"),
    ],
)
def test_a_column_that_is_not_written_in_the_usual_way_is_text_for_croissant(
    field: dict[str, Any], kind: str
) -> None:
    said = croissant([{"name": "it"} | field])
    assert said["recordSet"][0]["field"][0]["dataType"] == kind


SEMICOLON = {"dialect": {"delimiter": ";"}, "encoding": "utf-8"}


@pytest.mark.parametrize(
    ("file", "readable", "encoding"),
    [
        ({"dialect": {"delimiter": ","}, "encoding": "utf-8"}, True, "text/csv"),
        ({"dialect": {}}, True, "text/csv"),
        ({}, True, "text/csv"),
        (SEMICOLON, False, "text/csv"),
        ({"dialect": {"delimiter": ","}, "encoding": "cp1252"}, False, "text/csv"),
        ({"format": "parquet", "mediatype": "application/vnd.apache.parquet"}, True, "application/x-parquet"),
        ({"format": "arrow", "mediatype": "application/arrow"}, False, "application/arrow"),
    ],
)
def test_croissant_describes_columns_that_its_reader_can_take(
    file: dict[str, Any], readable: bool, encoding: str
) -> None:
    said = croissant([{"name": "it", "type": "string"}], **file)
    assert ("recordSet" in said) == readable
    assert said["distribution"][0]["encodingFormat"] == encoding


def test_a_heading_has_an_address_in_which_nothing_is_a_path() -> None:
    said = croissant([{"name": "a/b ü", "type": "string"}, {"name": "c", "type": "string"}])
    assert [field["@id"] for field in said["recordSet"][0]["field"]] == ["rows/a%2Fb%20%C3%BC", "rows/c"]


@pytest.mark.parametrize("name", METADATA)
def test_letters_are_written_as_themselves(name: str) -> None:
    assert '"Zürich' in written_as(name, described([]), title="Zürich").replace(">", '"')


def test_of_a_format_that_europe_has_no_word_for_only_the_media_type_is_told() -> None:
    package = described([], format="parquet", mediatype="application/vnd.apache.parquet")
    parquet, csv = (json.loads(written_as("dcat-ap", one))["dcat:distribution"] for one in (package, described([])))
    assert "dct:format" not in parquet
    assert csv["dct:format"]["@id"].endswith("/file-type/CSV")
    assert parquet["dcat:mediaType"]["@id"].endswith("/application/vnd.apache.parquet")


def test_what_xml_does_not_allow_is_replaced_and_two_attributes_are_apart() -> None:
    said = written_as("ddi", described([{"name": "a\x01b", "type": "integer"}]))
    assert '<var ID="V1" name="a\ufffdb" files="F1">' in said
    assert "<labl>a\ufffdb</labl>" in said
    assert "<accsPlac>TO BE FILLED IN</accsPlac>" in said
    issued = written_as("ddi", described([]), url="https://a.org", contact="a@b.org")
    assert '<accsPlac URI="https://a.org">https://a.org</accsPlac>' in issued
    assert '<contact email="a@b.org">' in issued


def test_a_release_without_descriptions_has_no_such_file() -> None:
    assert metadata_files(described([]), None) == {}
    assert metadata_files(described([]), Metadata()) == {}
