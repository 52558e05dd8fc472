"""DCAT-AP 3 and HealthDCAT-AP: the description of a dataset for European data portals, as JSON-LD."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from shoal.certify.metadata.statements import OPEN, description_of, open_address, title_of
from shoal.policy.metadata import Metadata

_AUTHORITY = "http://publications.europa.eu/resource/authority"
_CONTEXT = {
    "dcat": "http://www.w3.org/ns/dcat#",
    "dcatap": "http://data.europa.eu/r5r/",
    "dct": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "spdx": "http://spdx.org/rdf/terms#",
    "vcard": "http://www.w3.org/2006/vcard/ns#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
_HEALTH = {"healthdcatap": "http://healthdataportal.eu/ns/health#"}
_FILE_TYPES = {"csv": "CSV", "xlsx": "XLSX"}
"""File types of the European vocabulary; of other formats only the media type is given."""
_ACCESS = {"public": "PUBLIC", "restricted": "RESTRICTED", "non-public": "NON_PUBLIC"}
_LANGUAGES = {
    "bg": "BUL", "cs": "CES", "da": "DAN", "de": "DEU", "el": "ELL", "en": "ENG", "es": "SPA", "et": "EST",
    "fi": "FIN", "fr": "FRA", "ga": "GLE", "hr": "HRV", "hu": "HUN", "it": "ITA", "lt": "LIT", "lv": "LAV",
    "mt": "MLT", "nl": "NLD", "pl": "POL", "pt": "POR", "ro": "RON", "sk": "SLK", "sl": "SLV", "sv": "SWE",
}  # fmt: skip


def dcat_ap(package: Mapping[str, Any], stated: Metadata) -> str:
    """Return the content of dcat-ap.jsonld."""
    return _text(_CONTEXT, _dataset(package, stated))


def health_dcat_ap(package: Mapping[str, Any], stated: Metadata) -> str:
    """Return the content of health-dcat-ap.jsonld."""
    found = _dataset(package, stated)
    found["dcat:theme"] = {"@id": f"{_AUTHORITY}/data-theme/HEAL"}
    found["dcatap:applicableLegislation"] = {"@id": stated.legislation or open_address("applicableLegislation")}
    found["healthdcatap:healthCategory"] = {"@id": stated.health_category or open_address("healthCategory")}
    found["healthdcatap:hdab"] = {"@type": "foaf:Agent", "foaf:name": OPEN}
    found["healthdcatap:populationCoverage"] = stated.population or OPEN
    found["healthdcatap:numberOfRecords"] = _count(package["shoal"]["rows"])
    return _text(_CONTEXT | _HEALTH, found)


def _dataset(package: Mapping[str, Any], stated: Metadata) -> dict[str, Any]:
    found: dict[str, Any] = {
        "@type": "dcat:Dataset",
        "dct:title": title_of(package, stated),
        "dct:description": description_of(package, stated),
        "dct:identifier": stated.identifier or OPEN,
        "dct:publisher": {"@type": "foaf:Agent", "foaf:name": stated.publisher or OPEN},
        "dct:creator": {"@type": "foaf:Agent", "foaf:name": stated.creator or OPEN},
        "dcat:contactPoint": {
            "@type": "vcard:Kind",
            "vcard:fn": stated.publisher or OPEN,
            "vcard:hasEmail": {"@id": f"mailto:{stated.contact}" if stated.contact else open_address("contact")},
        },
        "dct:accessRights": {
            "@id": f"{_AUTHORITY}/access-right/{_ACCESS[stated.access]}"
            if stated.access
            else open_address("accessRights")
        },
        "dct:provenance": {"@type": "dct:ProvenanceStatement", "rdfs:label": package["shoal"]["protects"]},
    }
    if stated.issued is not None:
        found["dct:issued"] = {"@type": "xsd:date", "@value": stated.issued.isoformat()}
    if stated.version is not None:
        found["dcat:version"] = stated.version
    if stated.language in _LANGUAGES:
        found["dct:language"] = {"@id": f"{_AUTHORITY}/language/{_LANGUAGES[stated.language or '']}"}
    if stated.keywords:
        found["dcat:keyword"] = list(stated.keywords)
    found["dcat:distribution"] = _distribution(package, stated)
    return found


def _distribution(package: Mapping[str, Any], stated: Metadata) -> dict[str, Any]:
    resource = package["resources"][0]
    kind = _FILE_TYPES.get(resource["format"])
    known = {"dct:format": {"@id": f"{_AUTHORITY}/file-type/{kind}"}} if kind is not None else {}
    return known | {
        "@type": "dcat:Distribution",
        "dct:title": resource["path"],
        "dcat:accessURL": {"@id": stated.url or open_address("accessURL")},
        "dct:license": {"@id": stated.license or open_address("license")},
        "dcat:mediaType": {"@id": f"https://www.iana.org/assignments/media-types/{resource['mediatype']}"},
        "dcat:byteSize": _count(resource["bytes"]),
        "spdx:checksum": {
            "@type": "spdx:Checksum",
            "spdx:algorithm": {"@id": "spdx:checksumAlgorithm_sha256"},
            "spdx:checksumValue": {"@type": "xsd:hexBinary", "@value": resource["hash"].removeprefix("sha256:")},
        },
    }


def _count(number: int) -> dict[str, str]:
    return {"@type": "xsd:nonNegativeInteger", "@value": str(number)}


def _text(context: Mapping[str, str], dataset: Mapping[str, Any]) -> str:
    return json.dumps({"@context": dict(context)} | dict(dataset), indent=2, ensure_ascii=False) + "\n"
