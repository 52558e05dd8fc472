"""`codebook.html`: the data package of a release as one page for people, without scripts and without a network.

A content security policy in the page forbids scripts and anything from elsewhere, and every text is escaped, so that
even a column named like a script is only text. Equal packages give equal bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from shoal._escape import shown

_KINDS = {
    "number": "number",
    "date": "date",
    "ordered": "values in an order",
    "label": "labels",
    "hierarchy": "values of a hierarchy",
    "place": "place",
    "region": "regions",
    "set": "sets of items",
}
_ROLES = {
    "quasi": "could identify, made coarser",
    "sensitive": "sensitive, published as it was",
    "weight": "weight of the row",
    "other": "published as it was",
    "person": "whose row it is",
    "people": "size of the group",
    "radius": "radius of the group",
}
_FORMS = {
    "generalize": "Every row is one of the original table. Where people could be told apart, exact values were "
    "replaced by ranges, sets or coarser values that are true of everyone in a group.",
    "aggregate": "Every row is one of the original table. Where people could be told apart, values were replaced by "
    "one value for the whole group, such as its mean.",
    "centers": "Every row stands for a group of people: its center, how many they are, and which values they have.",
    "suppress": "Every row is one of the original table. Where people could be told apart, a star stands for the "
    "value.",
}
_SHORT = {"quasi": "made coarser", "sensitive": "sensitive, as it was", "weight": "weight", "other": "as it was"}
_TYPES = {"string": "text", "integer": "whole number", "boolean": "true or false", "yearmonth": "year and month"}
_CLAIMS = {
    "k-anonymity": "Every published combination is shared by at least {claimed:g} {unit}; the smallest group has "
    "{measured:g}.",
    "l-diversity": "Every group has at least {claimed:g} well-represented values of {column} ({kind} l-diversity); "
    "the least diverse has {measured:g}.",
    "t-closeness": "In every group {column} is distributed as in the whole table, up to a distance of {claimed:g} "
    "({kind} t-closeness); the farthest is at {measured:g}.",
    "alpha-anonymity": "In no group do more than a share of {claimed:g} have the same value of {column} "
    "((alpha, k)-anonymity, {kind} values, missing not counted); the largest share is {measured:g}.",
    "beta-likeness": "In no group does a value of {column} gain more than {claimed:g} times its share of the whole "
    "table ({kind} beta-likeness); the largest gain is {measured:g}.",
    "delta-disclosure": "In every group every value of {column} has its share of the whole table, up to less than "
    "{claimed:g} doublings (delta-disclosure); the farthest is at {measured:g}.",
    "key-anonymity": "Every published combination of the key set {column} is shared by at least {claimed:g} {unit}; "
    "the rarest by {measured:g}.",
    "consistent-people": "All rows of one {column} are published alike: every person is in one group.",
    "km-anonymity": "In every group every combination of at most {m} items of {column} that occurs is shared by at "
    "least {claimed:g} {unit} (k^m-anonymity); the rarest is shared by {measured:g}.",
    "open-cells": "At least {claimed:g} values are possible wherever {column} is published; the fewest are "
    "{measured:g}.",
}


def codebook_page(package: Mapping[str, Any]) -> str:
    """Return the page of a data package that `data_package` made."""
    about, file = package["shoal"], package["resources"][0]
    fields = file["schema"]["fields"]
    head = (
        f"<p>{_count(about['rows'], 'row')} in {_count(about['groups'], 'group')}, {_count(len(fields), 'column')}. "
        f"{_form(about)}{_left_out(about)}</p>"
    )
    return (
        "<!doctype html>\n"
        '<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="color-scheme" content="light dark">\n<title>Codebook</title>\n'
        f"<style>\n{_style()}</style>\n</head>\n<body>\n<main>\n"
        f'<header>\n<h1>Codebook</h1>\n<p class="lead">{_text(package["title"])}</p>\n{head}\n'
        f"<p>{_text(about['protects'])}</p>\n</header>\n"
        f"{_section('What holds', _claims(about))}"
        f"{_section('The file', _file(file))}"
        f"{_section('The columns', _overview(fields, about['rows']))}"
        f"{''.join(_column(field, about['rows']) for field in fields)}"
        f"{_synthetic(package['resources'])}"
        f"{_section('Read and check', _recheck(file))}"
        "</main>\n</body>\n</html>\n"
    )


def _synthetic(resources: Sequence[Mapping[str, Any]]) -> str:
    """Return the section about synthetic rows; nothing if there are none."""
    said = [f"<p>{_code(one['path'])}: {_text(one['description'])}</p>\n" for one in resources[1:]]
    return _section("Synthetic rows", "".join(said)) if said else ""


def _form(about: Mapping[str, Any]) -> str:
    """Return a sentence that says what one row of the release stands for."""
    said = _FORMS[about["form"]]
    return said.replace("Every row", "Every row that is not made up") if about["counterfeits"] else said


def _left_out(about: Mapping[str, Any]) -> str:
    """Return how many rows of the original table are not in the release, and how many of the release are made up."""
    said = f" {_count(about['suppressed'], 'row')} of the original table {_were(about['suppressed'])} left out."
    made_up = f" {_count(about['counterfeits'], 'row')} of the release {_were(about['counterfeits'])} made up."
    return (said if about["suppressed"] else "") + (made_up if about["counterfeits"] else "")


def _were(number: int) -> str:
    return "was" if number == 1 else "were"


def _style() -> str:
    return files("shoal.certify.codebook").joinpath("page.css").read_text(encoding="utf-8")


def _text(text: object) -> str:
    """Return any text as HTML, with unsafe characters escaped."""
    return escape(shown(text))


def _code(text: str) -> str:
    return f"<code>{_text(text)}</code>"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def _share(part: int, whole: int) -> str:
    """Return a share in percent as HTML; it is 0 or 100 only if that is exact, never by rounding."""
    if part in (0, whole):
        return "0&nbsp;%" if part == 0 else "100&nbsp;%"
    return f"{min(max(100 * part / whole, 0.1), 99.9):.1f}&nbsp;%"


def _section(title: str, inside: str) -> str:
    return f"<section>\n<h2>{title}</h2>\n{inside}</section>\n"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of cells that are HTML already."""
    named = "".join(f'<th scope="col">{title}</th>' for title in head)
    lines = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>\n" for row in rows)
    return f'<div class="scroll"><table>\n<thead><tr>{named}</tr></thead>\n<tbody>\n{lines}</tbody>\n</table></div>\n'


def _claims(about: Mapping[str, Any]) -> str:
    reported = [
        _CLAIMS[claim["criterion"]].format(**claim | {"column": _name(claim["column"] or "")})
        for claim in about["claims"]
    ]
    listed = "".join(f"<li>{one}</li>\n" for one in reported)
    return f"<ul>\n{listed}</ul>\n<p>certificate.json says so, and anyone can count it again.</p>\n"


def _file(file: Mapping[str, Any]) -> str:
    """Return how the table is written, as a list."""
    reported = [("name", _path(file)), ("size", f"{file['bytes']:,} bytes")]
    if "dialect" in file:
        reported.append(("encoding", _text(file["encoding"])))
        reported.append(
            ("separator", {"\t": "tab"}.get(file["dialect"]["delimiter"], _code(file["dialect"]["delimiter"])))
        )
        reported.append(("missing", "an empty cell"))
    else:
        reported.append(("missing", "null"))
    digest = f'<code class="long">{_text(file["hash"].removeprefix("sha256:"))}</code>'
    several = not isinstance(file["path"], str)
    reported.append(("SHA-256 of the list of all SHA-256" if several else "SHA-256", digest))
    return _list(reported)


def _path(file: Mapping[str, Any]) -> str:
    """Return the name of the released file, or how many there are, from which to which."""
    if isinstance(file["path"], str):
        return _code(file["path"])
    names = file["path"]
    return _code(names[0]) if len(names) == 1 else f"{len(names):,} files, {_code(names[0])} to {_code(names[-1])}"


def _list(reported: Sequence[tuple[str, str]]) -> str:
    return "<dl>\n" + "".join(f"<dt>{key}</dt><dd>{value}</dd>\n" for key, value in reported) + "</dl>\n"


def _name(name: str) -> str:
    return f'<span class="name">{_text(name)}</span>'


def _overview(fields: Sequence[Mapping[str, Any]], rows: int) -> str:
    lines = [
        (
            _name(field["name"]),
            _role(field["shoal"], _ROLES | _SHORT),
            _what(field),
            _share(field["shoal"]["exact"], rows) if "exact" in field["shoal"] else "",
        )
        for field in fields
    ]
    return "<p>The last column is the share of cells that say one value, or that it is missing.</p>\n" + _table(
        ("column", "role", "what", "exact"), lines
    )


def _role(about: Mapping[str, Any], words: Mapping[str, str]) -> str:
    """Return the role of a column in words; one that was perturbed was not published as it was."""
    said = words[about["role"]]
    if "perturbed" not in about:
        return said
    return "perturbed, not true values" if about["role"] == "other" else "sensitive, perturbed: not true values"


def _what(field: Mapping[str, Any]) -> str:
    """Return the kind of a column, or else its type."""
    kind = field["shoal"].get("kind")
    part = {"min": "lower end", "max": "upper end", "radius": "meters"}
    if field["shoal"]["part"] == "missing":
        return "whether a value is missing" if field["type"] == "boolean" else "how many values are missing"
    stated = _type_name(field) if kind is None else _KINDS[kind]
    return f"{stated}, {part[field['shoal']['part']]}" if field["shoal"]["part"] != "value" else stated


def _column(field: Mapping[str, Any], rows: int) -> str:
    """Return the section of one column."""
    about = field["shoal"]
    reported = [("role", _role(about, _ROLES)), ("what", _what(field))]
    if (written := _type(field)) != _what(field):
        reported.append(("in the file", written))
    if "exact" in about:
        reported.append(("exact", f"{_share(about['exact'], rows)} of the cells"))
    reported.append(("empty", f"{_share(about['empty'], rows)} of the cells"))
    cells = [(_code(cell["example"]) if cell["example"] else "", _text(cell["means"])) for cell in about["cells"]]
    inside = f"<p>{_text(about['means'])}</p>\n"
    if "recoded" in about:
        inside += f"<p>{_text(about['recoded'])}</p>\n"
    if "perturbed" in about:
        inside += f"<p>{_text(about['perturbed'])}</p>\n"
    inside += _list(reported)
    if cells:
        inside += _table(("a cell (made up)", "means"), cells)
    if "levels" in about:
        levels = [
            (str(one["level"]), _share(one["cells"], rows), _nodes(one["level"], one["nodes"]))
            for one in about["levels"]
        ]
        inside += _table(("level", "cells", "nodes"), levels)
    return f"<section>\n<h3>{_name(field['name'])}</h3>\n{inside}</section>\n"


def _type(field: Mapping[str, Any]) -> str:
    """Return the type of a column as a table schema has it, with its format."""
    more = []
    if field.get("format", "any") != "any":
        more.append(f"written {_code(field['format'])}")
    if "decimalChar" in field:
        more.append(f"decimals after {_code(field['decimalChar'])}")
    if "groupChar" in field:
        more.append(f"thousands separated by {_code(field['groupChar'])}")
    if field.get("bareNumber") is False:
        more.append("with a unit")
    return ", ".join([_type_name(field), *more])


def _type_name(field: Mapping[str, Any]) -> str:
    return _text(_TYPES.get(field["type"], field["type"]))


def _nodes(level: int, nodes: Sequence[str]) -> str:
    """Return the first nodes of a level; all of them are in datapackage.json."""
    if level == 0:
        return "the values themselves"
    first = ", ".join(_code(node) for node in nodes[:8])
    return first + (f" and {len(nodes) - 8:,} more" if len(nodes) > 8 else "")


def _recheck(file: Mapping[str, Any]) -> str:
    return (
        "<p>To count again, from the table alone, what certificate.json says, and to compare every file with its "
        "digest there; FOLDER is the one that this page is in:</p>\n<pre>shoal verify FOLDER</pre>\n"
        "<p>To read the table in Python with its types, ranges as two ends and sets as lists:</p>\n"
        '<pre>import shoal\ntable = shoal.read_release("FOLDER")</pre>\n'
        f"<p>Programs find what this page says in {_code('datapackage.json')}, a data package of Frictionless Data "
        f"(version 1) about {_path(file)}.</p>\n"
    )
