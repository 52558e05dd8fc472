"""What `shoal profile` proposes for a table of the corpus, and where that differs from the truth."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import shoal
from shoal.errors import ShoalError
from tests.corpus.truth import CorpusTable, Truth

ISO = ("%Y-%m-%d", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%SZ")
"""Forms that are read without being named."""
BY_TYPE = {"whole number": "number", "number": "number", "date": "date", "date and time": "date"}


@dataclass(frozen=True, slots=True)
class Proposed:
    """What is proposed for one column."""

    role: str
    kind: str
    format: str
    missing: frozenset[str]
    questions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """The misses of one table, each a line such as `table.column: role quasi instead of identifier`."""

    misses: tuple[str, ...]
    n_columns: int
    wrong_types: int
    """Columns whose kind, or the format of whose dates, is wrong."""
    wrong_roles: int
    wrong_missing: int
    exposed: tuple[str, ...]
    """Columns that name people, or hold free text, and are proposed as anything but an identifier."""
    shown: str = ""
    """The profile as a terminal shows it, or the error in its place."""


def proposed(profile: shoal.Profile) -> dict[str, Proposed]:
    """Return what is proposed for every column of a file."""
    policy = profile.policy
    found = {}
    for column in profile.columns:
        chosen = policy.columns[column.name]
        kind = chosen.kind or column.kind or BY_TYPE.get(column.type, "label")
        missing = {*policy.source.null_values, *getattr(chosen, "null_values", ())}
        found[column.name] = Proposed(
            role=column.role,
            kind="identifier" if column.role in ("identifier", "person") else kind,
            format=getattr(chosen, "format", None) or "",
            missing=frozenset(missing),
            questions=column.questions,
        )
    return found


def judge(table: CorpusTable, path: Path) -> Judged:
    """Return where the proposal for a table differs from its truth."""
    n_columns = len(table.columns)
    try:
        profile = shoal.profile(path)
    except ShoalError as error:
        sentence = error.message.replace(str(path), path.name)
        return Judged((f"{table.name}: {sentence}",), n_columns, n_columns, n_columns, n_columns, (), str(error))
    answers = proposed(profile)
    wrong: dict[str, set[str]] = {"kind": set(), "format": set(), "role": set(), "missing": set(), "question": set()}
    misses, exposed = [], []
    for name, truth in table.columns.items():
        for aspect, line in _differences(truth, answers[name]):
            wrong[aspect].add(name)
            misses.append(f"{table.name}.{name}: {line}")
        if truth.names_people and answers[name].role not in ("identifier", "person"):
            exposed.append(f"{table.name}.{name}")
    types = len(wrong["kind"] | wrong["format"])
    counted = n_columns, types, len(wrong["role"]), len(wrong["missing"])
    return Judged(tuple(misses), *counted, tuple(exposed), str(profile))


def _differences(truth: Truth, answer: Proposed) -> list[tuple[str, str]]:
    """Return the aspects in which an answer is wrong, each with a few words."""
    lines = []
    kinds = truth.kinds or frozenset({"identifier"})
    if answer.kind not in kinds and not ("identifier" in truth.roles and answer.kind == "identifier"):
        lines.append(("kind", f"kind {answer.kind} instead of {_either(kinds)}"))
    if answer.role not in truth.roles:
        lines.append(("role", f"role {answer.role} instead of {_either(truth.roles)}"))
    if truth.asks and not answer.questions:
        lines.append(("question", "nothing is asked"))
    if answer.kind == "identifier" or truth.names_people:
        return lines  # it is not published: how it is written is of no account
    if answer.kind in ("date", "month", "quarter") and not truth.asks and not _same_format(truth, answer):
        lines.append(("format", f"format {answer.format or 'not named'} instead of {truth.format}"))
    asks_about_missing = any("null_values" in question for question in answer.questions)
    if answer.missing != frozenset(truth.missing) and not asks_about_missing:
        lines.append(
            ("missing", f"missing {_spelled(answer.missing)} instead of {_spelled(frozenset(truth.missing))}")
        )
    return lines


def _same_format(truth: Truth, answer: Proposed) -> bool:
    if answer.kind == "quarter" or not truth.format:
        return True
    return answer.format == truth.format or (not answer.format and truth.format in ISO)


def _either(values: frozenset[str]) -> str:
    return " or ".join(sorted(values))


def _spelled(values: frozenset[str]) -> str:
    return " ".join(sorted(values)) or "nothing"
