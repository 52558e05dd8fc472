"""Parts of a policy that are filled in as a whole: key sets, and what people say for the dossier and for catalogs.

The fields are those of the parts themselves, so that a new one is on the page as soon as it is in the policy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, get_args, get_origin

from shoal.errors import ParameterError
from shoal.policy.dossier import Dossier
from shoal.policy.metadata import Metadata
from shoal.policy.setting_types import Part
from shoal.web.draft import Settings
from shoal.web.fields import Form, altered
from shoal.web.forms import listed, place_in, whole

SECTIONS: dict[str, type[Part]] = {"dossier": Dossier, "metadata": Metadata}
LONG = {"purpose", "recipients", "conditions", "thresholds", "accepted", "earlier", "description", "population"}
"""Fields that take more than a few words."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a form: one text, a day, one of several options, some of them, or a list between commas."""

    name: str
    kind: Literal["text", "long", "date", "choice", "many", "list"]
    options: tuple[str, ...] = ()
    text: str = ""
    chosen: tuple[str, ...] = ()


def section_fields(section: str, settings: Settings | None, given: Form | None = None) -> list[Field]:
    """Return the fields of a part of the policy as they are shown; with `given`, as they were sent."""
    found = []
    for name, field in SECTIONS[section].model_fields.items():
        kind, options = _kind(name, field.annotation)
        value = (settings or {}).get(name)
        chosen = tuple(value or ()) if kind == "many" else ()
        text = ", ".join(value or ()) if kind == "list" else str(value or "") if kind != "many" else ""
        if given is not None:
            text = given.get(name, text)
            chosen = tuple(one for one in options if f"{name}:{one}" in given) if kind == "many" else ()
        found.append(Field(name, kind, options, text, chosen))
    return found


def _kind(name: str, annotation: Any) -> tuple[Any, tuple[str, ...]]:
    """Return of which kind a field is by its type, and its options."""
    parts = [one for one in get_args(annotation) or (annotation,) if one is not type(None)]
    if get_origin(annotation) is tuple:
        options = get_args(parts[0]) if get_origin(parts[0]) is Literal else ()
        return ("many", options) if options else ("list", ())
    if get_origin(annotation) is Literal or get_origin(parts[0]) is Literal:
        return "choice", get_args(annotation if get_origin(annotation) is Literal else parts[0])
    if parts[0] is date:
        return "date", ()
    return ("long" if name in LONG else "text"), ()


def section_settings(section: str, form: Form, before: Settings | None) -> Settings | None:
    """Return a part of the policy as its fields say; None if all of them are empty."""
    found = dict(before or {})
    for field in section_fields(section, before):
        if field.kind == "many":
            chosen = [one for one in field.options if f"{field.name}:{one}" in form]
            if set(chosen) != set(field.chosen):
                found[field.name] = chosen
        elif field.name in altered({field.name: form.get(field.name, field.text)}, {field.name: field.text}):
            text = "\n".join(form[field.name].strip().splitlines())
            found[field.name] = listed(text) if field.kind == "list" else text
    return {key: value for key, value in found.items() if value} or None


@dataclass(frozen=True, slots=True)
class KeyRow:
    """A key set in the form, or the empty room for a new one: its name before, its fields, the places of columns."""

    old: str
    name: str
    k: str
    places: tuple[int, ...]


def key_sets(settings: Settings, columns: Sequence[str], said: Mapping[str, Form] | None = None) -> list[KeyRow]:
    """Return the key sets as they are shown, and room for another; what was sent and not understood stands there."""
    keys = settings.get("keys", {})
    rows = [
        KeyRow(name, name, str(own["k"]), tuple(columns.index(one) for one in own["columns"]))
        for name, own in keys.items()
    ]
    rows.append(KeyRow("", "", "", ()))
    given = (said or {}).get("keys")
    if given is None:
        return rows
    return [
        KeyRow(row.old, given.get(f"name:{at}", row.name), given.get(f"k:{at}", row.k), _places(given, at))
        for at, row in enumerate(rows)
    ]


def _places(form: Form, at: int) -> tuple[int, ...]:
    begin = f"column:{at}:"
    found = [place_in(key.removeprefix(begin)) for key in form if key.startswith(begin)]
    return tuple(sorted(place for place in found if place is not None))


def key_settings(settings: Settings, columns: Sequence[str], form: Form) -> Settings | None:
    """Return the key sets that the fields ask for; None if there is none."""
    found: Settings = {}
    for at, row in enumerate(key_sets(settings, columns)):
        sent = {"name": form.get(f"name:{at}", row.name)}
        name, places = altered(sent, {"name": row.old}).get("name", row.old).strip(), _places(form, at)
        k = form.get(f"k:{at}", row.k)
        removed = form.get("remove") == str(at) or (not name and not places and not k.strip())
        if removed:
            continue
        if not name or not places or not k.strip():
            raise ParameterError(
                "a key set needs a name, at least one column, and a k.", "fill in all three, or empty all three."
            )
        if name in found:
            raise ParameterError("two key sets have the same name.", "give each a name of its own.")
        before = settings.get("keys", {}).get(row.old, {}).get("columns", ())
        same = {columns.index(one) for one in before} == set(places)
        found[name] = {
            "columns": list(before) if same else [columns[place] for place in places if place < len(columns)],
            "k": whole(k, "the k of a key set"),
        }
    return found or None
