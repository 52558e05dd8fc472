"""What all descriptions of a release state: title, description, and marks for what nobody has stated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.policy.metadata import Metadata

OPEN = "TO BE FILLED IN"
"""Stands in the place of a text that nobody has stated; nothing is invented."""


HOW = (
    "What holds of every group is in certificate.json, and what a cell means in codebook.html and datapackage.json. "
    "To check it again: shoal verify FOLDER."
)


def open_address(what: str) -> str:
    """Return a mark in the place of an address that nobody has stated."""
    return f"urn:x-to-be-filled-in:{what}"


def title_of(package: Mapping[str, Any], stated: Metadata) -> str:
    return stated.title or str(package["title"])


def description_of(package: Mapping[str, Any], stated: Metadata) -> str:
    """Return what people say about the table, and how it was anonymized."""
    own = [stated.description] if stated.description else []
    return "\n".join([*own, f"{package['shoal']['protects']} {HOW}"])


def fields_of(package: Mapping[str, Any]) -> list[dict[str, Any]]:
    return list(package["resources"][0]["schema"]["fields"])


def is_iso(field: Mapping[str, Any]) -> bool:
    """Return whether values of a column are written in the usual way: ISO dates, and a decimal point."""
    usual = field["type"] != "date" or field.get("format", "%Y-%m-%d") in ("default", "%Y-%m-%d")
    return (
        usual
        and field.get("decimalChar", ".") == "."
        and not field.get("groupChar")
        and field.get("bareNumber", True)
    )
