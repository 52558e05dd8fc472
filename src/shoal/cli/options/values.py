"""The values of options as the library takes them: names, pairs, sizes, steps and numbers."""

from __future__ import annotations

import tomllib
from typing import Any

import typer


def names(values: list[str] | None) -> list[str] | None:
    """Return column names from repeated options, each of which may contain several separated by commas."""
    return [name.strip() for value in values for name in value.split(",")] if values else None


def pairs(
    values: list[str] | None, option: str = "--hierarchy", example: str = "age=age_levels.csv"
) -> dict[str, str] | None:
    """Return options such as `age=age.csv` as a mapping."""
    if not values:
        return None
    for value in values:
        if "=" not in value:
            raise typer.BadParameter(f"give two names with = between them, such as {example}", param_hint=option)
    return dict(value.split("=", 1) for value in values)


def sizes(values: list[str] | None) -> dict[str, str | int] | None:
    """Return options such as `surname` or `surname=50` as a mapping."""
    found: dict[str, str | int] = {}
    for value in names(values) or []:
        name, _, size = value.rpartition("=") if "=" in value else (value, "", "k")
        if size != "k" and not size.isdecimal():
            raise typer.BadParameter("give NAME or NAME=PEOPLE, such as surname=50", param_hint="--classes")
        found[name] = int(size) if size != "k" else "k"
    return found or None


def separators(values: list[str] | None) -> dict[str, str | None] | None:
    """Return options such as `diagnoses` or `diagnoses=|` as a mapping."""
    found: dict[str, str | None] = {}
    for value in values or []:
        name, given, separator = value.partition("=")
        if given and not separator:
            raise typer.BadParameter("give NAME or NAME=SEPARATOR, such as diagnoses=|", param_hint="--set")
        found[name] = separator or None
    return found or None


def rare(values: list[str] | None) -> dict[str, str | bool] | None:
    """Return options such as `city` or `city=merged` as a mapping."""
    found: dict[str, str | bool] = {}
    for value in names(values) or []:
        name, _, how = value.rpartition("=") if "=" in value else (value, "", "true")
        if how not in ("true", "merged"):
            raise typer.BadParameter("give NAME or NAME=merged, such as city=merged", param_hint="--publish-rare")
        found[name] = how if how == "merged" else True
    return found or None


def missing(values: list[str] | None) -> dict[str, list[str]] | None:
    """Return options such as `age=999,-1` as a mapping; a column may be named several times."""
    found: dict[str, list[str]] = {}
    for value in values or []:
        for name, codes in (pairs([value], "--missing", "age=999,-1") or {}).items():
            found.setdefault(name, []).extend(code.strip() for code in codes.split(","))
    return found or None


def number_formats(values: list[str] | None) -> dict[str, Any] | None:
    """Return options such as `wage={decimal=","}` as a mapping; the format is written as in a policy."""
    return _tables(values, "--number", "give the format as in a policy, such as wage={decimal=',', thousands='.'}")


def perturbations(values: list[str] | None) -> dict[str, Any] | None:
    """Return options such as `wage={method="noise", spread=0.3}` as a mapping, written as in a policy."""
    return _tables(values, "--perturb", "give the settings as in a policy, such as wage={method='noise', spread=0.3}")


def _tables(values: list[str] | None, option: str, way: str) -> dict[str, Any] | None:
    """Return options of a column and its settings in TOML as a mapping."""
    found: dict[str, Any] = {}
    for name, text in (pairs(values, option, way.rpartition(" such as ")[2]) or {}).items():
        try:
            found[name] = tomllib.loads(f"setting = {text}")["setting"]
        except tomllib.TOMLDecodeError:
            raise typer.BadParameter(way, param_hint=option) from None
    return found or None


def steps(
    values: list[str] | None, option: str = "--round-ranges", example: str = "age=10 or born=month"
) -> dict[str, str | float] | None:
    """Return options such as `age=10` or `born=month` as a mapping."""
    found: dict[str, str | float] = {}
    for name, step in (pairs(values, option, example) or {}).items():
        try:
            found[name] = float(step)
        except ValueError:
            found[name] = step
    return found or None


def merges(values: list[str] | None) -> dict[str, dict[str, list[str]]] | None:
    """Return options such as `job=other:smith,tailor` as a mapping; a column may have several new labels."""
    example = "job=other:smith,tailor"
    found: dict[str, dict[str, list[str]]] = {}
    for value in values or []:
        name, _, merged = value.partition("=")
        label, colon, listed = merged.partition(":")
        if not (name and label and colon and listed):
            raise typer.BadParameter(
                f"give a column, a label and its values, such as {example}", param_hint="--merge"
            )
        found.setdefault(name, {}).setdefault(label, []).extend(part.strip() for part in listed.split(","))
    return found or None


def per_column(values: list[str] | None, option: str, example: str) -> float | dict[str, float] | None:
    """Return one number for all columns, or a mapping of options such as `occupation=3`."""
    if not values:
        return None
    wrong = typer.BadParameter(
        f"give one number, or a column and its number in each, such as {option} {example}", param_hint=option
    )
    try:
        if len(values) == 1 and "=" not in values[0]:
            return float(values[0])
        found = {name: float(number) for name, _, number in (value.rpartition("=") for value in values)}
    except ValueError:
        raise wrong from None
    if "" in found:
        raise wrong
    return found


def numbers(text: str | None, kind: type[int] | type[float] = int) -> list[Any] | None:
    """Return the numbers in a text such as `2,5,10`."""
    if text is None:
        return None
    try:
        return [kind(part) for part in text.split(",")]
    except ValueError:
        raise typer.BadParameter(f"{text} is not a list of numbers, such as 2,5,10") from None


def given(**settings: Any) -> dict[str, Any]:
    """Return the settings that were given on the command line."""
    return {name: value for name, value in settings.items() if value is not None}
