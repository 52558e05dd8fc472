"""DDI-Codebook 2.5 of the DDI Alliance: the description of a data file and its variables for archives, as XML.

The elements stand in the order of the schema `ddi:codebook:2_5`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from shoal.certify.metadata.statements import OPEN, description_of, fields_of, title_of
from shoal.policy.metadata import Metadata

_FORBIDDEN = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 does not allow, which a heading may have all the same."""
_ACCESS = {
    "public": "Anybody can get the release.",
    "restricted": "Only those who agree to conditions can get the release.",
    "non-public": "The release is not public.",
}


def ddi(package: Mapping[str, Any], stated: Metadata) -> str:
    """Return the content of ddi.xml."""
    resource, about, fields = package["resources"][0], package["shoal"], fields_of(package)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<codeBook xmlns="ddi:codebook:2_5" version="2.5"' + _attribute("xml:lang", stated.language) + ">",
        "  <stdyDscr>",
        "    <citation>",
        "      <titlStmt>",
        _element("titl", title_of(package, stated), 8),
        _element("IDNo", stated.identifier or OPEN, 8),
        "      </titlStmt>",
        "      <rspStmt>",
        _element("AuthEnty", stated.creator or OPEN, 8),
        "      </rspStmt>",
        "      <prodStmt>",
        _element("copyright", stated.license or OPEN, 8),
        _element("software", "Shoal", 8),
        "      </prodStmt>",
        "      <distStmt>",
        _element("distrbtr", stated.publisher or OPEN, 8),
        _element("contact", stated.publisher or OPEN, 8, email=stated.contact or OPEN),
        _element("distDate", stated.issued.isoformat(), 8, date=stated.issued.isoformat())
        if stated.issued
        else _element("distDate", OPEN, 8),
        "      </distStmt>",
        "      <verStmt>",
        _element("version", stated.version or OPEN, 8),
        "      </verStmt>",
        "    </citation>",
        "    <stdyInfo>",
    ]
    if stated.keywords:
        words = [_element("keyword", word, 8) for word in stated.keywords]
        lines += ["      <subject>", *words, "      </subject>"]
    lines += [
        _element("abstract", description_of(package, stated), 6),
        "      <sumDscr>",
        _element("universe", stated.population or OPEN, 8),
        "      </sumDscr>",
        "    </stdyInfo>",
        "    <method>",
        "      <dataColl>",
        _element("cleanOps", about["protects"], 8),
        "      </dataColl>",
        "    </method>",
        "    <dataAccs>",
        "      <setAvail>",
        _element("accsPlac", stated.url or OPEN, 8, **({"URI": stated.url} if stated.url else {})),
        _element("avlStatus", _ACCESS[stated.access] if stated.access else OPEN, 8),
        "      </setAvail>",
        "    </dataAccs>",
        "  </stdyDscr>",
        '  <fileDscr ID="F1">',
        "    <fileTxt>",
        _element("fileName", resource["path"], 6),
        '      <dataFingerprint type="dataFile">',
        _element("digitalFingerprintValue", resource["hash"].removeprefix("sha256:"), 8),
        _element("algorithmSpecification", "SHA-256", 8),
        "      </dataFingerprint>",
        "      <dimensns>",
        _element("caseQnty", about["rows"], 8),
        _element("varQnty", len(fields), 8),
        "      </dimensns>",
        _element("fileType", resource["mediatype"], 6),
        "    </fileTxt>",
        "  </fileDscr>",
        "  <dataDscr>",
    ]
    for number, field in enumerate(fields, start=1):
        kind = "numeric" if field["type"] in ("integer", "number") else "character"
        lines += [
            f'    <var ID="V{number}" name={_quoted(field["name"])} files="F1">',
            _element("labl", field["name"], 6),
            _element("txt", field["description"], 6),
            f'      <varFormat type="{kind}"/>',
            "    </var>",
        ]
    lines += ["  </dataDscr>", "</codeBook>"]
    return "\n".join(lines) + "\n"


def _element(name: str, content: object, indent: int, **attributes: str) -> str:
    shown = "".join(_attribute(key, value) for key, value in attributes.items())
    return f"{' ' * indent}<{name}{shown}>{escape(_allowed(str(content)))}</{name}>"


def _attribute(name: str, value: str | None) -> str:
    return "" if value is None else f" {name}={_quoted(value)}"


def _quoted(value: str) -> str:
    return quoteattr(_allowed(value))


def _allowed(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
