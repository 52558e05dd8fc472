"""What a codebook says of every kind of column, as format 1 has it.

A later version writes the codebook of an old release again and compares it, so that no word of it may change. The
words are in codebook_format_1.json, where a person can read them; other words need a new format beside it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from shoal.certify.codebook.kinds import Stated
from shoal.certify.codebook.parts import Part
from shoal.certify.codebook.perturbation import perturbation_words
from shoal.certify.codebook.recoding import recoding_words
from shoal.certify.codebook.words import words_of
from shoal.policy import Column, Perturbation, Policy

KEPT: dict[str, Any] = json.loads(Path(__file__).with_name("codebook_format_1.json").read_text(encoding="utf-8"))
EURO = {"decimal": ",", "thousands": ".", "suffix": " €"}
PLACE = {"kind": "place", "longitude": "east"}
NUMBER, DATE, LEVELS = Stated("number"), Stated("date"), {"a": 1}
LIMITED = {"top": 90, "bottom": 20}

QUASI: dict[str, tuple[dict[str, Any], Stated, dict[str, Any]]] = {
    "number": ({}, NUMBER, {}),
    "number, limited": (LIMITED, NUMBER, {}),
    "number, only a top": ({"top": 90}, NUMBER, {}),
    "number, limited, in columns": (LIMITED, NUMBER, {"ranges": "columns"}),
    "number, written": ({"number": EURO}, NUMBER, {}),
    "number, levels": ({"number": EURO}, Stated("number", LEVELS), {}),
    "date": ({}, DATE, {}),
    "date, levels": ({}, Stated("date", LEVELS), {}),
    "date, written": ({"format": "%d.%m.%Y"}, DATE, {}),
    "date, with a comma": ({"format": "%B %d, %Y"}, DATE, {}),
    "date, in German": ({"format": "%d. %B, %Y", "language": "de"}, DATE, {}),
    "date, time": ({"format": "%d.%m.%Y %H:%M"}, DATE, {}),
    "date, zone": ({"format": "%Y-%m-%d %H:%M %z"}, DATE, {}),
    "date, serial": ({"format": "excel"}, DATE, {}),
    "ordered": ({}, Stated("ordered"), {}),
    "label": ({}, Stated("label"), {}),
    "label, classes": ({"kind": "label", "classes": "k"}, Stated("label"), {}),
    "hierarchy": ({}, Stated("hierarchy", {}), {}),
    "region": ({}, Stated("region"), {}),
    "latitude": (PLACE, Stated("place"), {}),
    "longitude": ({"kind": "place"}, Stated("place"), {}),
    "place of one column": ({}, Stated("place"), {}),
    "latitude, circle": (PLACE | {"shape": "circle"}, Stated("place"), {}),
    "longitude, circle": ({"kind": "place", "of": "circle"}, Stated("place"), {}),
    "set": ({"kind": "set"}, Stated("set"), {}),
    "set, one known": ({"kind": "set", "separator": " | "}, Stated("set"), {"m": 1}),
    "set, three known": ({"kind": "set"}, Stated("set"), {"m": 3}),
}
"""Quasi-identifiers: their settings, what is stated of them, and settings of the policy."""
FORMS = ("generalize", "aggregate", "centers", "suppress")
EVERY_FORM = ("number", "date, levels", "ordered", "latitude", "longitude, circle", "set")
BESIDE: dict[str, tuple[str, str, dict[str, Any], Stated]] = {
    "lower end": ("min", "generalize", {}, NUMBER),
    "upper end": ("max", "generalize", {}, NUMBER),
    "lower end, limited": ("min", "generalize", {"bottom": 20}, NUMBER),
    "upper end, limited": ("max", "generalize", {"top": 90}, NUMBER),
    "lower end, other limit": ("min", "generalize", {"top": 90}, NUMBER),
    "upper end, other limit": ("max", "generalize", {"bottom": 20}, NUMBER),
    "earliest": ("min", "generalize", {"format": "%d.%m.%Y"}, DATE),
    "latest": ("max", "generalize", {}, DATE),
    "whether missing": ("missing", "generalize", {}, NUMBER),
    "how many missing": ("missing", "aggregate", {}, NUMBER),
    "how many missing, centers": ("missing", "centers", {}, NUMBER),
    "radius of a circle": ("radius", "generalize", PLACE, Stated("place")),
}
OTHER: dict[str, tuple[str, dict[str, Any], str]] = {
    "people": ("people", {}, "centers"),
    "radius": ("radius", {}, "centers"),
    "person": ("person", {"role": "person"}, "generalize"),
    "person, consistent": ("person", {"role": "person", "consistent": True}, "generalize"),
    "person, pseudonym": ("person", {"role": "person", "consistent": True, "pseudonym": True}, "generalize"),
}
for _role in ("sensitive", "weight", "other"):
    OTHER |= {f"{_role}, {form}": (_role, {"role": _role}, form) for form in FORMS}
    OTHER[f"{_role}, recoded"] = (_role, {"role": _role, "top": 9}, "generalize")
for _role in ("sensitive", "other"):
    PERTURBED = {"role": _role, "perturb": {"method": "rank-swap", "window": 0.1}}
    OTHER[f"{_role}, perturbed"] = (_role, PERTURBED, "generalize")
    OTHER[f"{_role}, perturbed, centers"] = (_role, PERTURBED, "centers")


def policy(column: dict[str, Any], **more: Any) -> Policy:
    """A policy with one column that is described, and one beside it."""
    settings, name = dict(column), "it"
    columns: dict[str, Any] = {"beside": {"role": "other"}}
    if (of := settings.pop("of", None)) is not None:
        columns["north"] = {"role": "quasi", "kind": "place", "longitude": name, "shape": of}
    elif settings == {"kind": "place"}:
        columns["north"] = {"role": "quasi", "kind": "place", "longitude": name}
    if "longitude" in settings:
        columns[settings["longitude"]] = {"role": "quasi", "kind": "place"}
    columns[name] = {"role": "quasi"} | settings
    return Policy.parse({"k": 3, "columns": columns} | more)


RECODED: dict[str, dict[str, Any]] = {
    "not recoded": {},
    "a day of a moment": {"kind": "date", "round": "day"},
    "the month of a date": {"kind": "date", "round": "month"},
    "multiples": {"round": 0.1},
    "a top": {"top": 90.5},
    "a bottom": {"bottom": 123456789012},
    "dates between": {"kind": "date", "top": "2020-12-31", "bottom": "1950-01-01"},
    "merged": {"kind": "label", "merge": {"other": ["a", "b"], "rest": ["c", "d", "e"]}},
    "merged, counted": {"kind": "label", "merge": {"other": 4}},
    "all of it": {"round": 5, "top": 90, "bottom": 20},
}
CHANCE: dict[str, dict[str, Any]] = {
    "pram": {"method": "pram", "keep": 0.9},
    "pram within": {"method": "pram", "keep": 1 / 3, "within": "town"},
    "swapped": {"method": "rank-swap", "window": 0.05},
    "noise": {"method": "noise", "spread": 0.1},
    "noise of a group, rounded": {"method": "noise", "spread": 0.25, "group": "a", "decimals": 2},
}


Case = tuple[Part, dict[str, Any], str, Stated | None, dict[str, Any]]


def cases() -> dict[str, Case]:
    """The columns that are described, with their settings, the form of the release and settings of the policy."""
    found: dict[str, Case] = {}
    for name, (column, stated, more) in QUASI.items():
        for form in FORMS if name in EVERY_FORM else FORMS[:1]:
            found[f"{name}, {form}"] = Part("it", "it", "quasi"), column, form, stated, more
    for name, (place, form, column, stated) in BESIDE.items():
        found[name] = Part("it_part", "it", "quasi", place), column, form, stated, {}  # type: ignore[arg-type]
    for name, (role, column, form) in OTHER.items():
        found[name] = Part("it", "it", role), column, form, None, {}  # type: ignore[arg-type]
    return found


CASES = cases()


def said(name: str) -> Any:
    if name in RECODED:
        return recoding_words(Column(role="quasi", **RECODED[name]))
    if name in CHANCE:
        return perturbation_words(Perturbation(**CHANCE[name]))
    part, column, form, stated, more = CASES[name]
    sentence, cells = words_of(part, policy(column, **more), form, stated)
    return [sentence, *map(list, cells)]


@pytest.mark.parametrize("name", KEPT)
def test_the_words_for_every_kind_of_column_stay_as_they_are(name: str) -> None:
    assert said(name) == KEPT[name]


def test_all_words_that_can_be_said_are_kept() -> None:
    assert KEPT.keys() == CASES.keys() | RECODED.keys() | CHANCE.keys()
