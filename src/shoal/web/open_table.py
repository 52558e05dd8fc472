"""A table that is open: what was found in it, what the user has decided, and the runs made of it."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shoal.policy import Policy
from shoal.web.draft import Settings, kept_decisions, names
from shoal.web.fixes import Fix, fixes_of
from shoal.web.jobs import Job

OTHER_COLUMNS = "The policy was not used: read as it says, the file has other columns than it."
MOST_CHANGES = 200  # changes that can be undone


@dataclass(eq=False)
class Run:
    """A release of a table: what was asked for, and where it is."""

    id: str
    number: int
    asked: Settings
    folder: Path
    rows: Path
    job: Job
    made: float = field(default_factory=time.time)

    @property
    def result(self) -> dict[str, Any]:
        """What the worker found: numbers and parts of pages."""
        assert self.job.result is not None
        return self.job.result


def differences(runs: list[Run]) -> list[tuple[str, list[Any]]]:
    """Return the settings in which runs differ, by their names in a policy, with the value of each run."""
    flat = [_flat(run.asked) for run in runs]
    named = dict.fromkeys(name for one in flat for name in one)
    rows = [(name, [one.get(name) for one in flat]) for name in named]
    return [row for row in rows if len({json.dumps(value) for value in row[1]}) > 1]


def _flat(settings: Settings, before: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in settings.items():
        found |= _flat(value, f"{before}{key}.") if isinstance(value, dict) else {f"{before}{key}": value}
    return found


@dataclass(frozen=True, slots=True)
class Database:
    """A table or a query of a database, with an address that holds no password."""

    address: str
    table: str | None
    query: str | None


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a column that only a person who knows the table can answer."""

    place: int
    column: str
    text: str
    fixes: tuple[Fix, ...]
    answered: bool


@dataclass(eq=False)
class OpenTable:
    """A table, from the moment that its file is there."""

    id: str
    name: str
    path: Path
    rows: Path
    """A copy of the cells as text, of which some rows are read at a time."""
    copied: bool
    """Whether the file is a copy in the private folder, because it was uploaded or generated."""
    job: Job
    database: Database | None = None
    """Where the table was copied from, if it was in a database."""
    files: list[Path] = field(default_factory=list)
    """Hierarchies that were written by hand."""
    reading: dict[str, Any] = field(default_factory=dict)
    preset: str | None = None
    """The rule that the proposed policy follows, by its name."""
    loaded: Settings | None = None
    """A policy that takes the place of what is proposed as soon as the file is read in its way."""
    found: dict[str, Any] | None = None
    """What the worker found; None until the table is read."""
    format: str = ""
    """Of the file or the database, once it is read."""
    settings: Settings = field(default_factory=dict)
    proposed: Settings = field(default_factory=dict)
    """What was proposed before anybody decided anything."""
    answers: list[Question] = field(default_factory=list)
    """The questions that were answered before the file was read again."""
    answered: set[int] = field(default_factory=set)
    runs: list[Run] = field(default_factory=list)
    run_job: Job | None = None
    """The release or comparison that is being made, or the last one."""
    frontier: Job | None = None
    """The comparison of several k that is being made, or the last one."""
    _before: list[str] = field(default_factory=list)
    _after: list[str] = field(default_factory=list)

    @property
    def columns(self) -> list[dict[str, Any]]:
        """What was found of every column."""
        return [] if self.found is None else list(self.found["columns"])

    @property
    def questions(self) -> list[Question]:
        """Every question, answered or not."""
        columns = [column["name"] for column in self.columns]
        asked = [(column["name"], text) for column in self.columns for text in column["questions"]]
        return [
            Question(place, name, text, tuple(fixes_of(text, columns)), place in self.answered)
            for place, (name, text) in enumerate(asked)
        ]

    @property
    def open_questions(self) -> list[Question]:
        """The questions that nobody has answered yet."""
        return [question for question in self.questions if not question.answered]

    @property
    def policy(self) -> Policy:
        """The draft as a policy."""
        return Policy.parse(self.settings)

    @property
    def quasi(self) -> list[str]:
        """The quasi-identifiers of the draft."""
        return names(self.settings, "quasi")

    @property
    def can_run(self) -> bool:
        """Whether a release may be made: every question is answered, and there is a quasi-identifier."""
        return self.found is not None and not self.open_questions and bool(self.quasi)

    @property
    def can_undo(self) -> bool:
        """Whether a change can be taken back."""
        return bool(self._before)

    @property
    def can_redo(self) -> bool:
        """Whether a change that was taken back can be made again."""
        return bool(self._after)

    def wrote(self, file: str) -> bool:
        """Return whether a hierarchy was written by hand here."""
        return str(file) in {str(one) for one in self.files}

    def take(self, found: dict[str, Any]) -> None:
        """Take in what the worker found, with the proposed policy as a draft.

        If the file was read before, in another way, what was decided then is kept as far as it still fits.
        """
        decided, proposed, answered = self.settings, self.proposed, {(q.column, q.text) for q in self.answers}
        self.found, self.settings, self.proposed = found, found["policy"], found["policy"]
        self.format = str(found["format"])
        self._before, self._after = [], []
        loaded, self.loaded = self.loaded, None
        if loaded is not None and set(loaded["columns"]) == {column["name"] for column in self.columns}:
            self.settings = loaded
        elif decided:
            self.settings = kept_decisions(found["policy"], decided, proposed)
        if loaded is not None and self.settings is not loaded:
            found["notes"] = [*found["notes"], OTHER_COLUMNS]
        self.answered = {q.place for q in self.questions if (q.column, q.text) in answered}
        self.answers = []

    def change(self, settings: Settings | None = None, answered: set[int] | None = None) -> None:
        """Change the draft or what is answered, so that it can be undone."""
        state = self._state()
        self.settings = self.settings if settings is None else settings
        self.answered = self.answered if answered is None else answered
        if self._state() != state:
            self._before = [*self._before, state][-MOST_CHANGES:]
            self._after = []

    def undo(self) -> None:
        """Take the last change back."""
        if self._before:
            self._after.append(self._state())
            self._restore(self._before.pop())

    def redo(self) -> None:
        """Make the change again that was taken back last."""
        if self._after:
            self._before.append(self._state())
            self._restore(self._after.pop())

    def run(self, number: int | None = None) -> Run | None:
        """Return a run by its number, or the last one; None if there is none."""
        if number is None:
            return self.runs[-1] if self.runs else None
        return next((run for run in self.runs if run.number == number), None)

    def _state(self) -> str:
        return json.dumps([self.settings, sorted(self.answered)])

    def _restore(self, state: str) -> None:
        settings, answered = json.loads(state)
        self.settings, self.answered = settings, set(answered)
