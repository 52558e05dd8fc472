"""Croissant 1.0 of MLCommons: the description of a dataset for machine learning, as JSON-LD."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from shoal.certify.metadata.statements import OPEN, description_of, fields_of, is_iso, open_address, title_of
from shoal.policy.metadata import Metadata

_TERMS = (
    "citeAs", "column", "equivalentProperty", "extract", "field", "fileProperty", "fileObject", "fileSet", "format",
    "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex",
    "repeated", "replace", "samplingRate", "separator", "source", "subField", "transform",
)  # fmt: skip
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
} | {term: f"cr:{term}" for term in _TERMS}
_TYPES = {"integer": "sc:Integer", "number": "sc:Float", "boolean": "sc:Boolean", "date": "sc:Date"}
_READABLE = ("csv", "parquet")
"""Formats of which Croissant's own reader can take columns; of others only the file is described."""


def croissant(package: Mapping[str, Any], stated: Metadata) -> str:
    """Return the content of croissant.json."""
    resource = package["resources"][0]
    found: dict[str, Any] = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": title_of(package, stated),
        "description": description_of(package, stated),
        "license": stated.license or OPEN,
        "url": stated.url or open_address("url"),
        "creator": {"@type": "sc:Organization", "name": stated.creator or OPEN},
        "publisher": {"@type": "sc:Organization", "name": stated.publisher or OPEN},
        "datePublished": stated.issued.isoformat() if stated.issued else OPEN,
        "version": stated.version or OPEN,
        "isLiveDataset": False,
    }
    optional = {"keywords": list(stated.keywords), "inLanguage": stated.language, "identifier": stated.identifier}
    found |= {name: value for name, value in optional.items() if value}
    found["distribution"] = [
        {
            "@type": "cr:FileObject",
            "@id": resource["path"],
            "name": resource["path"],
            "description": "The released table.",
            "contentUrl": resource["path"],
            "contentSize": f"{resource['bytes']} B",
            "encodingFormat": "application/x-parquet" if resource["format"] == "parquet" else resource["mediatype"],
            "sha256": resource["hash"].removeprefix("sha256:"),
        }
    ]
    plain = resource.get("dialect", {}).get("delimiter", ",") == "," and resource.get("encoding", "utf-8") == "utf-8"
    if resource["format"] in _READABLE and plain:
        rows = {"@type": "cr:RecordSet", "@id": "rows", "name": "rows", "description": "One record per released row."}
        found["recordSet"] = [rows | {"field": [_field(one, resource["path"]) for one in fields_of(package)]}]
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def _field(field: Mapping[str, Any], path: str) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"rows/{quote(field['name'], safe='')}",
        "name": field["name"],
        "description": field["description"],
        "dataType": _TYPES.get(field["type"], "sc:Text") if is_iso(field) else "sc:Text",
        "source": {"fileObject": {"@id": path}, "extract": {"column": field["name"]}},
    }
