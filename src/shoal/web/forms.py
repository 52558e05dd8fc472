"""What a form sends, as settings of a policy."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, parse_qsl, quote

from starlette.requests import Request

from shoal.errors import ParameterError
from shoal.web.draft import Settings
from shoal.web.fields import PARAMETERS, Form, altered

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


def column_settings(form: Form, own: Settings, columns: Sequence[str] = ()) -> Settings:
    """Return the settings of a column that the fields of its form name; None where a field was emptied.

    `form` has the fields that were changed; what they do not show is taken from `own`, the settings so far.
    """
    found: Settings = {}
    for key in ("top", "bottom", "round", "round_ranges"):
        if key in form:
            found[key] = number_or_text(form[key])
    if "merge" in form:
        found["merge"] = merged(form["merge"])
    if "way" in form:
        found |= hierarchy(form, own.get("hierarchy", {}))
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
        found["publish_rare"] = {"merged": "merged", "yes": True}.get(form["rare"])
    if "separator" in form:
        found["separator"] = None if form["separator"] in ("", ";") else form["separator"]
    if "rows_alike" in form:
        found["consistent"] = form["rows_alike"] != "no" or None
        found["pseudonym"] = form["rows_alike"] == "pseudonym" or None
    if any(key.startswith("perturb") for key in form):
        found["perturb"] = perturbation(form, own.get("perturb", {}), columns)
    return found


FIRST_PERTURBED = {"pram": {"keep": 0.8}, "rank-swap": {"window": 0.05}, "noise": {"spread": 0.3}}
"""What a method of perturbation begins with, since each needs a parameter; the page then shows it."""


def perturbation(form: Form, before: Settings, columns: Sequence[str]) -> Settings | None:
    """Return how a column is perturbed; None if it is not. A method that was chosen anew begins with usual values."""
    method = form.get("perturb", before.get("method", ""))
    if not method:
        return None
    if method != before.get("method"):
        return {"method": method} | FIRST_PERTURBED.get(method, {})
    found = dict(before)
    for key in PARAMETERS:
        text = form.get(f"perturb_{key}")
        if text is None:
            continue
        found.pop(key, None)
        if key == "within":
            place = place_in(text)
            asked: Any = columns[place] if place is not None and place < len(columns) else None
        elif key == "group":
            asked = text.strip() or None
        else:
            asked = whole(text, key) if key == "decimals" else number(text, key)
        if asked is not None:
            found[key] = asked
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


def hierarchy(form: Form, before: Settings) -> Settings:
    """Return the hierarchy that the fields of a column ask for, with the kind that belongs to it.

    `before` is the hierarchy so far: what codes are, which no field shows, is kept while they are cut otherwise.
    """
    way, given = form["way"], form.get("steps", "")
    if way == "hand":  # it was written on a page of its own
        return {}
    if way == "":
        return {"hierarchy": None}
    if way in EXAMPLES and not given.strip():
        raise ParameterError("the steps are missing.", f"write them beside, such as {EXAMPLES[way]}.")
    if way == "prefix":
        cuts = [whole(one, "a number of characters") for one in listed(given)]
        kept = ("digits",) if cuts else ("digits", "areas")
        of_codes = {key: before[key] for key in kept if key in before}
        return {"kind": "hierarchy", "hierarchy": {"prefix": True} | of_codes | ({"cuts": cuts} if cuts else {})}
    if way == "widths":
        return {"kind": "hierarchy", "hierarchy": {"widths": [number(one, "a width") for one in listed(given)]}}
    if way == "periods":
        return {"kind": "hierarchy", "hierarchy": {"periods": listed(given)}}
    return {"kind": "hierarchy", "hierarchy": {"file": str(place_of(given).absolute())}}


def map_source(form: Form, before: Settings) -> Settings | None:
    """Return where the map of a column of regions is: a file of polygons, of pairs of neighbors, or a GAL file.

    `before` is the map so far: what touching means and what happens to islands is kept from one map to the next.
    """
    if not form["map"].strip():
        return None
    file = place_of(form["map"]).absolute()
    if not file.is_file():
        raise ParameterError("there is no map of this name.", "give the whole path, such as ~/wards.geojson.")
    ending = file.suffix.lower()
    kind = "polygons" if ending in (".geojson", ".json") else "gal" if ending == ".gal" else "edges"
    name = form.get("map_name", "").strip() or (naming_property(file) if kind == "polygons" else None)
    kept = ("contiguity", "islands") if kind == "polygons" else ("contiguity",)
    found: Settings = {kind: str(file)} | {key: before[key] for key in kept if key in before}
    return found | ({"name": name} if name and kind == "polygons" else {})


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


def diversity(form: Form, place: int, before: Settings | None) -> Settings | None:
    """Return the l-diversity that three fields ask for; None if there is no l.

    `before` is the one so far: whether missing counts as a value is kept, because no field shows it.
    """
    asked = number(form.get(f"l:{place}", ""), "l")
    if asked is None:
        return None
    found: Settings = {"l": asked}
    if form.get(f"l_kind:{place}", "distinct") != "distinct":
        found["kind"] = form[f"l_kind:{place}"]
    if found.get("kind") == "recursive":
        found["c"] = number(form.get(f"c:{place}", ""), "c")
    if before and "count_missing" in before:
        found["count_missing"] = before["count_missing"]
    return found


def closeness(form: Form, place: int, before: Settings | None) -> Settings | None:
    """Return the t-closeness that a field asks for; None if there is no t. The distance so far is kept."""
    asked = number(form[f"t:{place}"], "t")
    return None if asked is None else (before or {}) | {"t": asked}


def disclosure(form: Form, place: int, before: Settings | None) -> Settings | None:
    """Return the limits on shares of values in the fields of a column; None if there are none.

    `before` has the limits so far: the values that alpha limits are kept if nobody changed their field.
    """
    found: Settings = {}
    for key in ("alpha", "beta", "delta"):
        asked = number(form.get(f"{key}:{place}", ""), key)
        if asked is not None:
            found[key] = asked
    if "alpha" in found:
        kept = list((before or {}).get("values") or ())
        given = altered({"values": form.get(f"values:{place}", "\n".join(kept))}, {"values": "\n".join(kept)})
        values = [line.strip() for line in given["values"].splitlines() if line.strip()] if given else kept
        found |= {"values": values} if values else {}
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
    if "m" in form:
        found["m"] = whole(form["m"], "m")
    if "where" in form:
        found["where"] = form["where"].strip() or None
    if "sample" in form:
        share = number(form["sample"].removesuffix("%"), "the share that is drawn")
        found["sample"] = share / 100 if share else None
    if "population" in form:
        found["population"] = population(form["population"])
    if "synthetic" in form:
        found["synthetic"] = form["synthetic"] or None
    if "evidence" in form:
        found["evidence"] = form["evidence"] == "yes" or None
    return found


def population(text: str) -> int | str | None:
    """Return the number of people that a table is a sample of, or the path of a table of all of them."""
    plain = text.strip()
    if re.fullmatch(r"\d+|\d{1,3}(?:([ .,'_\u00a0\u202f])\d{3}(?:\1\d{3})*)", plain):
        return int(re.sub(r"\D", "", plain))
    if not plain:
        return None
    file = place_of(plain).absolute()
    if not file.is_file():
        raise ParameterError(
            "the population is neither a whole number nor a file on this computer.",
            "write a number, such as 83000000, or the whole path of a table of everybody.",
        )
    return str(file)


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
