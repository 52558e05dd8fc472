"""What a form sends, as settings of a policy."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, parse_qsl, quote

from starlette.requests import Request

from shoal.errors import ParameterError
from shoal.web.draft import Settings

Form = dict[str, str]
MOST_DIGITS = 9
LARGEST_MAP = 50_000_000
"""Bytes of a map beyond which the page does not look into it."""
EXAMPLES = {"widths": "5, 10, 50", "periods": "month, year", "file": "~/levels.csv"}
"""Steps of a hierarchy, by the way in which they are written."""


async def form_of(request: Request) -> Form:
    """Return the fields of a form by name."""
    body = (await request.body()).decode("utf-8", errors="replace")
    return dict(parse_qsl(body, keep_blank_values=True))


async def form_lists(request: Request) -> dict[str, list[str]]:
    """Return the fields of a form by name, with all values of each."""
    return parse_qs((await request.body()).decode("utf-8", errors="replace"), keep_blank_values=True)


def number(text: str, what: str) -> float | None:
    """Return a number as people write it, with a point or a comma; None if the field is empty."""
    plain = text.strip().replace("\u00a0", "").replace(" ", "")
    if not plain:
        return None
    if "," in plain and "." not in plain:
        plain = plain.replace(",", ".")
    try:
        found = float(plain)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise ParameterError(f"{what} must be a number.", "write digits, such as 0.2 or 5.")
    return found


def place_in(text: str) -> int | None:
    """Return the place in a list that a field holds; None if it holds none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS else None


def whole(text: str, what: str) -> int | None:
    """Return a whole number; None if the field is empty."""
    found = number(text, what)
    if found is None:
        return None
    if found != int(found):
        raise ParameterError(f"{what} must be a whole number.", "write digits, such as 5.")
    return int(found)


def number_or_text(text: str) -> float | str | None:
    """Return a number, another text such as a date or a period, or None if the field is empty."""
    if not text.strip():
        return None
    try:
        return number(text, "")
    except ParameterError:
        return text.strip()


def listed(text: str) -> list[str]:
    """Return the parts between commas or line ends."""
    return [part.strip() for part in re.split(r"[,;\n]", text) if part.strip()]


def column_settings(form: Form) -> Settings:
    """Return the settings of a column that the fields of its form name; None where a field was emptied."""
    found: Settings = {}
    for key in ("top", "bottom", "round", "round_ranges"):
        if key in form:
            found[key] = number_or_text(form[key])
    if "merge" in form:
        found["merge"] = merged(form["merge"])
    if "way" in form:
        found |= hierarchy(form)
    if "weight" in form:
        weight = number(form["weight"], "the weight")
        found["weight"] = None if weight == 1 else weight
    if "format" in form:
        found["format"] = form["format"].strip() or None
        if "%y" not in form["format"]:
            found["first_year"] = None
        elif "first_year" in form:
            found["first_year"] = whole(form["first_year"], "the first year")
    if "null_values" in form:
        found["null_values"] = listed(form["null_values"]) or None
    if "rare" in form:
        found["publish_rare"] = "merged" if form["rare"] == "merged" else None
    if "l" in form:
        found["diversity"] = diversity(form, "l", "l_kind", "c")
    if "t" in form:
        asked = number(form["t"], "t")
        found["closeness"] = None if asked is None else {"t": asked}
    return found


def merged(text: str) -> Settings | None:
    """Return which values become which new label: a line each, such as ``other = a, b``."""
    found = {}
    for line in text.splitlines():
        label, sign, values = line.partition("=")
        if not line.strip():
            continue
        if not sign or not label.strip() or not listed(values):
            raise ParameterError("merging needs lines such as: other = a, b.", "write one new label in each line.")
        found[label.strip()] = listed(values)
    return found or None


def hierarchy(form: Form) -> Settings:
    """Return the hierarchy that the fields of a column ask for, with the kind that belongs to it."""
    way, given = form["way"], form.get("steps", "")
    if way == "hand":  # it was written on a page of its own
        return {}
    if way == "":
        return {"hierarchy": None}
    if way in EXAMPLES and not given.strip():
        raise ParameterError("the steps are missing.", f"write them beside, such as {EXAMPLES[way]}.")
    if way == "prefix":
        cuts = [whole(one, "a number of characters") for one in listed(given)]
        return {"kind": "hierarchy", "hierarchy": {"prefix": True} | ({"cuts": cuts} if cuts else {})}
    if way == "widths":
        return {"kind": "hierarchy", "hierarchy": {"widths": [number(one, "a width") for one in listed(given)]}}
    if way == "periods":
        return {"kind": "hierarchy", "hierarchy": {"periods": listed(given)}}
    return {"kind": "hierarchy", "hierarchy": {"file": str(place_of(given).absolute())}}


def map_source(form: Form) -> Settings | None:
    """Return where the map of a column of regions is: a file of polygons, of pairs of neighbors, or a GAL file."""
    if not form["map"].strip():
        return None
    file = place_of(form["map"]).absolute()
    if not file.is_file():
        raise ParameterError("there is no map of this name.", "give the whole path, such as ~/wards.geojson.")
    ending = file.suffix.lower()
    kind = "polygons" if ending in (".geojson", ".json") else "gal" if ending == ".gal" else "edges"
    name = form.get("map_name", "").strip() or (naming_property(file) if kind == "polygons" else None)
    return {kind: str(file)} | ({"name": name} if name and kind == "polygons" else {})


def naming_property(file: Path) -> str | None:
    """Return the only property that has a different text for every polygon of a GeoJSON file.

    None if polygons have an id, if several properties do so or none, or if the file is not GeoJSON, of which making
    the release will report an error.
    """
    try:
        if file.stat().st_size > LARGEST_MAP:
            return None
        features = json.loads(file.read_text(encoding="utf-8-sig"))["features"]
        if any("id" in feature for feature in features):
            return None
        properties = [feature["properties"] for feature in features]
        apart = [
            name
            for name in properties[0]
            if len({one[name] for one in properties if isinstance(one[name], str)}) == len(properties)
        ]
    except (OSError, ValueError, TypeError, KeyError, IndexError, RecursionError):
        return None
    return apart[0] if len(apart) == 1 else None


def diversity(form: Form, l: str, kind: str, c: str) -> Settings | None:  # noqa: E741 (the field's own name)
    """Return the l-diversity that three fields ask for; None if there is no l."""
    asked = number(form.get(l, ""), "l")
    if asked is None:
        return None
    found: Settings = {"l": asked}
    if form.get(kind, "distinct") != "distinct":
        found["kind"] = form[kind]
    if found.get("kind") == "recursive":
        found["c"] = number(form.get(c, ""), "c")
    return found


def disclosure(form: Form, place: int, before: Settings | None) -> Settings | None:
    """Return the limits on shares of values in the fields of a column; None if there are none.

    `before` has the limits so far: the list of values that alpha limits is kept, because no field shows it.
    """
    found: Settings = {}
    for key in ("alpha", "beta", "delta"):
        asked = number(form.get(f"{key}:{place}", ""), key)
        if asked is not None:
            found[key] = asked
    if "alpha" in found and before and before.get("values"):
        found["values"] = before["values"]
    if "beta" in found and form.get(f"beta_kind:{place}") == "enhanced":
        found["kind"] = "enhanced"
    return found or None


def privacy_settings(form: Form) -> Settings:
    """Return the requirements and the way to meet them that the form of the privacy page asks for."""
    found: Settings = {}
    if "k" in form:
        k = whole(form["k"], "k")
        if k is None:
            raise ParameterError("k is missing.", "5 is a usual choice.")
        found["k"] = k
    if "suppressed" in form:
        share = number(form["suppressed"].removesuffix("%"), "the share of rows that may be left out")
        found["max_suppressed"] = share / 100 if share else None
    for key in ("method", "publication", "objective", "ranges"):
        if key in form:
            found[key] = None if form[key] in ("auto", "", "brackets") else form[key]
    for key in ("effort", "time_limit"):
        if key in form:
            found[key] = number(form[key], key.replace("_", " "))
    return found


def place_of(path: str) -> Path:
    """Return a path as it was typed, with ~ for the own home."""
    place = Path(path.strip())
    try:
        return place.expanduser()
    except RuntimeError:  # ~ of a user who does not exist
        return place


def database_file(path: str) -> str | None:
    """Return the address of a database that is a file, known by its ending; None for any other path."""
    engine = {".sqlite": "sqlite", ".sqlite3": "sqlite", ".db": "sqlite", ".duckdb": "duckdb"}
    place = place_of(path)
    if place.suffix.lower() not in engine:
        return None
    return f"{engine[place.suffix.lower()]}:///{quote(str(place.absolute()))}"


def reading_settings(form: Form) -> dict[str, Any]:
    """Return how to read a file, as far as the fields overrule what is detected."""
    found: dict[str, Any] = {}
    for key in ("separator", "encoding", "decimal", "sheet"):
        if form.get(key):
            found[key] = "\t" if form[key] == "tab" else form[key]
    if form.get("header") in ("yes", "no"):
        found["has_header"] = form["header"] == "yes"
    if codes := listed(form.get("null_values", "")):
        found["null_values"] = codes
    return found
