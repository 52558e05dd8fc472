"""A policy that is loaded, changed in one place and saved again is the same in every other place.

The fields are taken from the schema of the policy: a new one fails here until an example below has it.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from copy import deepcopy
from typing import Any, get_args

import polars as pl
import pytest
from pydantic import BaseModel

from shoal.policy import Policy
from shoal.web.jobs import Job
from shoal.web.open_table import OpenTable
from tests.web.page_forms import PageForm, forms_of
from tests.web.steward import Steward, words

ROWS = 12
TABLE = pl.DataFrame(
    {
        "who": [f"p{row}" for row in range(ROWS)],
        "name": [f"Person {row}" for row in range(ROWS)],
        "age": [20 + row for row in range(ROWS)],
        "zip": [f"{10000 + row}" for row in range(ROWS)],
        "born": [f"{row + 1:02}.03.54" for row in range(ROWS)],
        "lat": [50.5 + row for row in range(ROWS)],
        "lon": [7.5 + row for row in range(ROWS)],
        "ward": ["a", "b", "c, d"] * 4,
        "drugs": ["x|y", "y", "z|x"] * 4,
        "illness": ["flu", "gout", "cold, bad"] * 4,
        "pay": [1000.5 + row for row in range(ROWS)],
        "bonus": [10.5 + row for row in range(ROWS)],
        "stands_for": [3] * ROWS,
    }
)
ROLES: dict[str, dict[str, Any]] = {
    "who": {"role": "person"},
    "name": {"role": "identifier"},
    **{name: {"role": "quasi"} for name in ("age", "zip", "born", "lat", "lon", "ward")},
    "drugs": {"role": "other"},
    "illness": {"role": "sensitive"},
    "pay": {"role": "sensitive", "kind": "number"},
    "bonus": {"role": "other"},
    "stands_for": {"role": "weight"},
}
REQUIRED = {
    "diversity": {"l": 2, "kind": "recursive", "c": 2.25, "count_missing": True},
    "closeness": {"t": 0.123456789, "distance": "equal"},
    "disclosure": {
        "alpha": 0.123456789, "values": ["flu", "cold, bad"], "beta": 1.23456789, "kind": "enhanced", "delta": 2.5,
    },
}  # fmt: skip
SAID = {
    "controller": "The hospital", "purpose": "A\tstudy\nof \u202estays, \"long\" ones", "recipients": "A & B",
    "access": "controlled", "conditions": "none", "version": "1", "thresholds": "rules", "decided": "2026-10-05",
    "accepted": "little", "earlier": "none", "made_by": "A", "approved_by": "B", "review": "2027-06-01",
}  # fmt: skip
DESCRIBED = {
    "formats": ["ddi", "croissant"], "title": "Stays", "description": "One\nand all", "creator": "A",
    "publisher": "B", "contact": "data@example.org", "license": "https://example.org/by", "access": "restricted",
    "url": "https://example.org/stays", "identifier": "doi:10.1/2", "version": "1.0.0", "issued": "2026-11-17",
    "language": "en", "keywords": ["stays, long", "hospital"], "population": "patients",
    "health_category": "https://example.org/c", "legislation": "https://example.org/l",
}  # fmt: skip
EXAMPLES: dict[str, dict[str, Any]] = {
    "most": {
        "max_suppressed": 0.0123456789, "objective": "generalization", "loss": "information",
        "publication": "generalize", "ranges": "columns", "seed": 7, "effort": 12.3456789, "time_limit": 33.3333333,
        "where": "\"ward\" <> 'b' and age >= 18", "sample": 0.123456789, "population": 83_000_000, "m": 3,
        "synthetic": "copula", "evidence": True, "dossier": SAID, "metadata": DESCRIBED,
        "keys": {"a:\u200b b": {"columns": ["zip", "age"], "k": 7}, "insurer": {"columns": ["ward"], "k": 9}},
        "columns": {
            "who": {"consistent": True, "pseudonym": True, "null_values": ["-", "a, b"]},
            "zip": {"scale": 2.5, "weight": 1.23456789},
            "drugs": {"role": "quasi", "kind": "set", "separator": "|"},
            "illness": {"perturb": {"method": "pram", "keep": 0.123456789, "within": "ward"}},
            "pay": {"perturb": {"method": "noise", "spread": 0.3, "group": "money", "decimals": 2}},
            "bonus": {"perturb": {"method": "rank-swap", "window": 0.0123456789}},
        },
    },
    "required of one column": {
        "method": "gather", "max_groups": 3,
        "columns": {
            "age": {"scale": "range"},
            "illness": REQUIRED,
            "ward": {"kind": "label", "diversity": {"l": 2}, "publish_rare": True},
            "lat": {"kind": "place", "longitude": "lon", "shape": "circle", "grid": 0.5},
            "lon": {"kind": "place"},
        },
    },
    "required of all": {
        **REQUIRED,
        "method": "cellular", "opening_cost": 1.25, "publication": "aggregate",
        "columns": {
            "pay": {"bins": [1003, 1006.5]},
            "age": {"aggregate": "median"},
            "ward": {"kind": "region", "map": {"polygons": "/tmp/wards.geojson", "name": "NAME", "contiguity": "rook",
                                               "islands": "join"}},
        },
    },
    "recoded": {
        "sequence": {"link": "who", "keep": "groups", "reserve": 2, "departures": "open"},
        "columns": {
            "age": {"kind": "number", "top": 90.5, "bottom": 18.25},
            "zip": {"kind": "number", "round_ranges": 12.5},
            "born": {"kind": "date", "format": "%d.%m.%y", "first_year": 1930, "unreadable": "missing",
                     "round": "month", "relative_to": "month", "origin": "2024-05-01"},
            "ward": {"kind": "label", "merge": {"other, all": ["a", "c, d"], "one": ["b"]}},
            "stands_for": {"round": 2.5},
        },
    },
    "hierarchies": {
        "sequence": {"link": "who", "keep": "values", "counterfeits": True},
        "columns": {
            "age": {"hierarchy": {"widths": [5, 12.5, 25]}, "least_level": 1, "greatest_level": 2},
            "zip": {"hierarchy": {"prefix": True, "cuts": [1, 3], "digits": 5}},
            "born": {"hierarchy": {"periods": ["month", "year"]}, "format": "%d %B %Y", "language": "de"},
            "ward": {"hierarchy": {"file": "/tmp/with, comma/levels.csv"}},
        },
    },
    "codes": {
        "columns": {
            "zip": {"hierarchy": {"prefix": True, "areas": "us-zip3"}, "least_level": 1},
            "ward": {"kind": "label", "classes": "k"},
            "age": {"number": {"decimal": ",", "thousands": ".", "lakhs": True, "prefix": "EUR ", "suffix": " %",
                               "decimals": 2}},
        },
    },
    "read in another way": {
        "source": {"separator": ",", "quote": '"', "encoding": "utf-8", "decimal": ".", "null_values": ["NA", "k, A"],
                   "has_header": True},
        "population": "/tmp/everybody.csv",
        "columns": {"ward": {"kind": "region", "map": {"edges": "/tmp/pairs.csv"}}},
    },
    "ordered": {"columns": {"ward": {"order": ["c, d", "b", "a"]}}},
    "sheet": {"source": {"sheet": "people"}, "columns": {"ward": {"kind": "region", "map": {"gal": "/tmp/w.gal"}}}},
}  # fmt: skip
"""Policies that together have every setting, each other than by default."""


def example(name: str) -> Policy:
    """One of the examples, with a role for every column."""
    asked = deepcopy(EXAMPLES[name])
    columns = {one: own | asked.get("columns", {}).get(one, {}) for one, own in ROLES.items()}
    return Policy.parse({"k": 5} | asked | {"columns": columns})


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """The parts that a setting may hold."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for one in get_args(annotation):
        yield from models_in(one)


def settings_of(model: type[BaseModel], before: str = "") -> Iterator[str]:
    """The dotted names of all settings of a part and of the parts in it."""
    for name, field in model.model_fields.items():
        inner = list(models_in(field.annotation))
        if not inner:
            yield f"{before}{name}"
        for one in inner:
            yield from settings_of(one, f"{before}{name}.")


def given_in(value: Any, model: type[BaseModel], before: str = "") -> Iterator[str]:
    """The dotted names of the settings that a dumped part has, without the names of columns and key sets."""
    for name, own in value.items():
        inner = list(models_in(model.model_fields[name].annotation))
        if not inner:
            yield f"{before}{name}"
            continue
        named = name in ("columns", "keys") and model is Policy
        for part in own.values() if named else [own]:
            yield from given_in(part, inner[0], f"{before}{name}.")


def test_the_examples_have_every_setting_of_the_schema() -> None:
    dumped = [example(name).model_dump(mode="json", exclude_defaults=True, exclude_none=True) for name in EXAMPLES]
    given = {one for policy in dumped for one in given_in(policy, Policy)}
    assert set(settings_of(Policy)) - given - {"k", "sequence.keep"} == set()  # k and keep are in every example
    assert "columns.perturb.keep" in given


@pytest.fixture(scope="module")
def table(steward: Steward) -> Iterator[OpenTable]:
    opened = steward.opened(steward.upload("people.csv", TABLE.write_csv().encode()))
    yield opened
    steward.desk.close(opened)


@pytest.fixture(scope="module")
def sheets(steward: Steward) -> Iterator[OpenTable]:
    book = io.BytesIO()
    TABLE.write_excel(book, worksheet="people")
    opened = steward.opened(steward.upload("people.xlsx", book.getvalue()))
    yield opened
    steward.desk.close(opened)


@pytest.fixture(autouse=True)
def uncounted(steward: Steward, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody counts here who is singled out, which takes most of the time of a page of columns."""

    def refused(_table: OpenTable) -> Job:
        job = Job("singled_out", {})
        job.end("failed", error="nobody counts here.")
        return job

    monkeypatch.setattr(steward.desk, "singled_out", refused)


def load(steward: Steward, table: OpenTable, policy: Policy) -> None:
    headers = {"accept": "application/json", "content-type": "application/octet-stream"}
    at = f"/the-token/t/{table.id}/policy"
    answer = steward.client.post(at, content=policy.dumps().encode(), headers=headers)
    assert answer.status_code == 200, answer.text
    steward.wait(table.job)
    assert table.found is not None, table.job.error


def saved(steward: Steward, table: OpenTable) -> Policy:
    return Policy.loads(steward.get(f"/t/{table.id}/policy.toml").text)


def forms(steward: Steward, table: OpenTable, *steps: str) -> list[PageForm]:
    """The forms of the pages that change the policy: of each column, of the privacy, of everything beside it."""
    found = [one for step in steps for one in forms_of(steward.get(f"/t/{table.id}/{step}").text)]
    parts = ("/columns/", "/privacy", "/keys", "/about/")
    return [one for one in found if any(part in one.action for part in parts)]


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_policy_survives_every_form_and_a_change_of_something_else(
    steward: Steward, request: pytest.FixtureRequest, name: str
) -> None:
    table: OpenTable = request.getfixturevalue("sheets" if name == "sheet" else "table")
    policy = example(name)
    load(steward, table, policy)
    assert saved(steward, table) == policy
    sent = 0
    for form in forms(steward, table, "columns", "privacy"):
        answer = steward.part(form.action.removeprefix("/the-token"), form.fields)
        assert answer.status_code == 200, form.action
        assert 'role="alert"' not in answer.text, (form.action, words(answer.text)[:400])
        assert saved(steward, table) == policy, form.action
        sent += 1
    assert sent == len(ROLES) + 4

    # and with one thing changed on every page
    changed = policy.model_dump(mode="json", exclude_defaults=True, exclude_none=True)
    for form in forms(steward, table, "columns", "privacy"):
        place = form.action.rpartition("/columns/")[2]
        if place.isdecimal() and list(ROLES)[int(place)] == "age":
            form.fields["weight"] = "2"
            changed["columns"]["age"]["weight"] = 2
        elif form.action.endswith("/privacy"):
            form.fields["k"] = "6"
            changed["k"] = 6
        elif form.action.endswith("/about/dossier"):
            form.fields["version"] = "2"
            changed["dossier"] = changed.get("dossier", {}) | {"version": "2"}
        elif form.action.endswith("/about/metadata"):
            form.fields["title"] = "Another title"
            changed["metadata"] = changed.get("metadata", {}) | {"title": "Another title"}
        else:
            continue
        steward.part(form.action.removeprefix("/the-token"), form.fields)
    assert saved(steward, table) == Policy.parse(changed)


def test_a_change_of_a_requirement_keeps_what_no_field_shows(steward: Steward, table: OpenTable) -> None:
    load(steward, table, example("required of one column"))
    place = list(ROLES).index("illness")
    (form,) = [one for one in forms(steward, table, "privacy") if one.action.endswith("/privacy")]
    form.fields |= {f"l:{place}": "3", f"t:{place}": "0.5", f"alpha:{place}": "0.5"}
    steward.part(form.action.removeprefix("/the-token"), form.fields)
    own = saved(steward, table).columns["illness"]
    assert own.diversity is not None
    assert (own.diversity.l, own.diversity.c, own.diversity.count_missing) == (3, 2.25, True)
    assert own.closeness is not None
    assert (own.closeness.t, own.closeness.distance) == (0.5, "equal")
    assert own.disclosure is not None
    assert (own.disclosure.alpha, own.disclosure.values) == (0.5, ("flu", "cold, bad"))
    load(steward, table, example("codes"))
    steward.part(f"/t/{table.id}/columns/{list(ROLES).index('zip')}", {"way": "prefix", "steps": "1, 3"})
    source = saved(steward, table).columns["zip"].hierarchy
    assert source is not None
    assert source.cuts == (1, 3)


def test_what_is_no_policy_for_this_table_is_said_and_changes_nothing(steward: Steward, table: OpenTable) -> None:
    load(steward, table, example("ordered"))
    at, before = f"/the-token/t/{table.id}/policy", table.settings
    headers = {"accept": "application/json"}
    few = 'k = 5\n[columns.age]\nrole = "quasi"\n'
    beside = example("hierarchies").dumps().replace("/tmp/with, comma/", "")
    for text, said in (
        (few, "every column of the table needs one role"),
        ("k = 1", "k"),
        ("k = ", "not valid TOML"),
        (beside, "load it by its path"),
        ("[tables.a]\nk = 5", "several linked tables"),
    ):
        answer = steward.client.post(at, content=text.encode(), headers=headers)
        assert answer.status_code == 422, text
        assert said in f"{answer.json()['error']} {answer.json()['hint']}", answer.text
    assert steward.client.post(at, content=b"\xff\xfe", headers=headers).status_code == 422
    assert table.settings == before


def test_a_policy_by_its_path_finds_the_files_beside_it(steward: Steward, table: OpenTable, tmp_path: Any) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text(example("hierarchies").dumps().replace("/tmp/with, comma/", ""), encoding="utf-8")
    answer = steward.post(f"/t/{table.id}/policy/path", {"path": str(policy)})
    assert answer.status_code == 200
    source = saved(steward, table).columns["ward"].hierarchy
    assert source is not None
    assert source.file == tmp_path / "levels.csv"
    steward.post(f"/t/{table.id}/undo", {"step": "columns"})
    assert "hierarchy" not in table.settings["columns"]["ward"]
    assert steward.post(f"/t/{table.id}/policy/path", {"path": "/nowhere.toml"}).status_code == 422
