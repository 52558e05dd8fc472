"""What the fields of a form show of a policy, as text; a field that comes back with the same text changes nothing.

Guarantee   A page is sent back with all of its fields. Those that nobody touched leave their settings as they were,
            also where the text on the page says less than the setting: rounded shares, lists with commas in a value,
            settings that have no field of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from shoal._escape import shown as shown_safely
from shoal.web.draft import Settings

Form = dict[str, str]
COLUMN_GROUPS = (("way", "steps"), ("format", "first_year"), ("map", "map_name"))
"""Fields of a column that are read together: if one of them was changed, all of them count."""
REQUIREMENTS = (("l", "l_kind", "c"), ("t",), ("alpha", "values", "beta", "delta", "beta_kind"))
PARAMETERS = ("keep", "within", "window", "spread", "group", "decimals")
"""The settings of a perturbation besides its method."""


def altered(form: Form, shown: Form, groups: Iterable[Sequence[str]] = ()) -> Form:
    """Return the fields whose text is another one than was shown, and those that are read together with them."""
    same = {key for key, text in form.items() if key in shown and _plain(text) == _plain(shown[key])}
    for group in groups:
        if any(key in form and key not in same for key in group):
            same -= set(group)
    return {key: text for key, text in form.items() if key not in same}


def _plain(text: str) -> list[str]:
    """Return the lines of a text as a page shows them; browsers send other line ends than they got."""
    return [shown_safely(line).strip() for line in re.split(r"\r\n|\r|\n", text.strip())]


def column_fields(own: Settings, columns: Sequence[str] = (), *, by_hand: bool = False) -> Form:
    """Return the texts in the fields of a column; other columns are shown by their places among `columns`.

    `by_hand` says that the hierarchy of the column was written by hand here.
    """
    source, drawn = own.get("hierarchy", {}), own.get("map", {})
    merged, changes = own.get("merge", {}).items(), own.get("perturb", {})
    return {
        **{key: _text(own.get(key)) for key in ("top", "bottom", "round", "round_ranges", "format", "first_year")},
        "weight": _text(own.get("weight", 1)),
        "null_values": _listed(own.get("null_values", ())),
        "rare": {"merged": "merged", True: "yes"}.get(own.get("publish_rare", False), "no"),
        "merge": "".join(f"{label} = {_merged(values)}\n" for label, values in merged),
        "way": _way(source, by_hand),
        "steps": _listed(source.get("widths") or source.get("periods") or source.get("cuts") or [source.get("file")]),
        "map": _text(drawn.get("polygons") or drawn.get("edges") or drawn.get("gal")),
        "map_name": _text(drawn.get("name")),
        "separator": own.get("separator", ";"),
        "rows_alike": "pseudonym" if own.get("pseudonym") else "number" if own.get("consistent") else "no",
        "perturb": changes.get("method", ""),
        **{f"perturb_{key}": _text(changes.get(key)) for key in PARAMETERS if key != "within"},
        "perturb_within": _text(columns.index(within)) if (within := changes.get("within")) in columns else "",
    }


def _way(source: Settings, by_hand: bool) -> str:
    ways = ("prefix", "widths", "periods", "file")
    way = next((one for one in ways if source.get(one)), "")
    return "hand" if way == "file" and by_hand else way


def _merged(values: Any) -> str:
    return _listed(values) if isinstance(values, list | tuple) else _text(values)


def requirement_fields(own: Settings) -> Form:
    """Return the texts in the fields of the requirements of a column, without the place of the column."""
    diversity, closeness, shares = (own.get(key) or {} for key in ("diversity", "closeness", "disclosure"))
    return {
        "l": _short(diversity.get("l")),
        "l_kind": diversity.get("kind", "distinct"),
        "c": _text(diversity.get("c")),
        "t": _text(closeness.get("t")),
        **{key: _short(shares.get(key)) for key in ("alpha", "beta", "delta")},
        "values": "\n".join(shares.get("values") or ()),
        "beta_kind": shares.get("kind", "basic"),
    }


def privacy_fields(settings: Settings, columns: Sequence[str] = ()) -> Form:
    """Return the texts in the fields of the privacy page; those of a column are called ``l:PLACE`` and so on."""
    found = {
        "k": _text(settings["k"]),
        "suppressed": f"{settings.get('max_suppressed', 0) * 100:g}",
        "m": _text(settings.get("m")),
        **{key: settings.get(key, "auto") for key in ("method", "publication", "objective")},
        "ranges": settings.get("ranges", "brackets"),
        **{key: _text(settings.get(key)) for key in ("effort", "time_limit", "where")},
        "sample": f"{settings['sample'] * 100:g}" if settings.get("sample") else "",
        "population": _text(settings.get("population")),
        "synthetic": settings.get("synthetic") or "",
        "evidence": "yes" if settings.get("evidence") else "no",
    }
    for place, name in enumerate(columns):
        own = requirement_fields(settings["columns"][name])
        found |= {f"{key}:{place}": text for key, text in own.items()}
    return found


def privacy_groups(columns: Sequence[str]) -> list[tuple[str, ...]]:
    """Return which fields of the privacy page are read together."""
    return [tuple(f"{key}:{place}" for key in group) for place in range(len(columns)) for group in REQUIREMENTS]


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _short(value: Any) -> str:
    return "" if value is None else f"{value:g}"


def _listed(values: Iterable[Any]) -> str:
    return ", ".join(_text(value) for value in values)
