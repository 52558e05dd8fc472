"""Groups of options that several commands share: one parameter in the code, one option each on the command line."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from shoal.cli import options as o

Settings = dict[str, Any]
"""The options of a group that were given, by their names in the Python interface."""
NOTHING: Settings = {}

TOGETHER: dict[str, dict[str, Any]] = {
    "roles": {
        "quasi": o.Quasi,
        "sensitive": o.Sensitive,
        "identifier": o.Identifier,
        "person": o.Person,
        "consistent": o.Consistent,
        "pseudonym": o.Pseudonym,
        "weight": o.Weight,
        "other": o.Other,
        "set": o.Sets,
        "hierarchy": o.Hierarchies,
        "map": o.Maps,
        "place": o.Places,
        "classes": o.Classes,
        "round_ranges": o.RoundRanges,
        "relative_to": o.RelativeTo,
        "origin": o.Origin,
        "top": o.Top,
        "bottom": o.Bottom,
        "round": o.Round,
        "merge": o.Merge,
        "least_level": o.LeastLevel,
        "greatest_level": o.GreatestLevel,
        "publish_rare": o.PublishRare,
        "date_format": o.DateFormats,
        "number": o.NumberFormats,
        "missing": o.Missing,
        "perturb": o.Perturb,
    },
    "sampling": {
        "where": o.Where,
        "sample": o.Sample,
        "population": o.Population,
    },
    "engines": {
        "engine": o.Engine,
        "master": o.Master,
        "work": o.Work,
    },
    "sequence": {
        "link": o.Link,
        "keep": o.Keep,
        "reserve": o.Reserve,
        "departures": o.Departures,
        "counterfeits": o.Counterfeits,
    },
    "search": {
        "objective": o.Objective,
        "loss": o.Loss,
        "max_groups": o.MaxGroups,
        "opening_cost": o.OpeningCost,
        "effort": o.Effort,
        "time_limit": o.TimeLimit,
    },
    "reading": {
        "separator": o.Separator,
        "quote": o.Quote,
        "encoding": o.Encoding,
        "decimal": o.Decimal,
        "header": o.Header,
        "null": o.NullValues,
        "sheet": o.Sheet,
        "table": o.Table,
        "query": o.Query,
    },
}
READ: dict[str, Callable[[Any], Any]] = {
    "quasi": o.names,
    "sensitive": o.names,
    "identifier": o.names,
    "other": o.names,
    "population": o.size_or_file,
    "set": o.separators,
    "hierarchy": o.pairs,
    "map": lambda values: o.pairs(values, "--map", "county=neighbors.csv"),
    "place": lambda values: o.pairs(values, "--place", "lat=lon"),
    "classes": o.sizes,
    "round_ranges": o.steps,
    "relative_to": lambda values: o.pairs(values, "--relative-to", "admitted=month"),
    "origin": lambda values: o.pairs(values, "--origin", "admitted=2024-06-01"),
    "top": lambda values: o.steps(values, "--top", "age=90"),
    "bottom": lambda values: o.steps(values, "--bottom", "age=18"),
    "round": lambda values: o.steps(values, "--round", "income=1000 or born=month"),
    "merge": o.merges,
    "least_level": lambda values: o.steps(values, "--least-level", "zip=1"),
    "greatest_level": lambda values: o.steps(values, "--greatest-level", "zip=3"),
    "publish_rare": o.rare,
    "date_format": lambda values: o.pairs(values, "--date-format", "born=%d.%m.%Y"),
    "number": o.number_formats,
    "missing": o.missing,
    "perturb": o.perturbations,
}
"""How the text of an option is converted, if it is not used as it is."""
NAMES = {"header": "has_header", "null": "null_values"}


def expanded(command: Callable[..., None]) -> Callable[..., None]:
    """Return `command` with the groups of options (`roles`, `search` and others) replaced by these options."""
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command, eval_str=True).parameters.items():
        if name not in TOGETHER:
            parameters.append(parameter)
            continue
        parameters += [
            parameter.replace(name=option, annotation=kind, default=None) for option, kind in TOGETHER[name].items()
        ]

    @functools.wraps(command)
    def run(**given: Any) -> None:
        for name, options in TOGETHER.items():
            if options.keys() <= given.keys():
                typed = {option: given.pop(option) for option in options}
                given[name] = o.given(
                    **{NAMES.get(option, option): READ.get(option, _as_typed)(typed[option]) for option in options}
                )
        command(**given)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _as_typed(value: Any) -> Any:
    return value
