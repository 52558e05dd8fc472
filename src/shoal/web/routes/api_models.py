"""What the API takes and returns."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel

from shoal.web.jobs import Job
from shoal.web.open_table import OpenTable, Question, Run


class Taken(BaseModel):
    """What a request brings; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class Opened(Taken):
    """A file to open."""

    path: str | None = Field(default=None, description="Path on this computer; without it the bundled example.")


class Asked(RootModel[dict[str, Any]]):
    """A policy with the settings of its TOML file."""


class Answer(Taken):
    """The answer to a question."""

    fix: Annotated[int, Field(ge=0, le=1000)] | None = Field(
        default=None, description="Which of its fixes; without one the column stays as proposed."
    )


class PersonAsked(Taken):
    """One person, and the columns in which their values are known."""

    row: Annotated[int, Field(ge=0, le=2**40)] = Field(description="The row of the original table, from 0 on.")
    known: Annotated[list[str], Field(max_length=1000)] = Field(description="The quasi-identifiers that are known.")


class Sizes(Taken):
    """Several k to try."""

    k: Annotated[list[Annotated[int, Field(ge=2, le=1_000_000)]], Field(min_length=1, max_length=20)]


class DatabaseAsked(Taken):
    """A table of a database. The password is not kept."""

    address: Annotated[str, Field(max_length=4000)] = Field(description="Such as postgresql://ana@host/hospital.")
    password: Annotated[str, Field(max_length=1000)] = ""
    table: Annotated[str, Field(max_length=1000)] = ""
    query: Annotated[str, Field(max_length=100_000)] = ""


class PresetAsked(Taken):
    """A rule by which roles and settings are proposed anew."""

    preset: Annotated[str, Field(max_length=100)] | None = Field(
        default=None, description="Such as hipaa-safe-harbor; without one they are proposed as usual."
    )


class HouseholdAsked(Taken):
    """The column that says which rows are one household."""

    column: Annotated[str, Field(max_length=1000)]


class ReadingAsked(Taken):
    """How to read a file, as far as that overrules what is detected."""

    separator: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    encoding: Annotated[str, Field(max_length=40)] | None = None
    decimal: Literal[".", ","] | None = None
    has_header: bool | None = None
    sheet: Annotated[str, Field(max_length=200)] | None = None
    null_values: Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=100)] | None = None


class Groups(Taken):
    """The names of the groups above every value, from the narrowest to the widest; empty where there is none."""

    names: Annotated[
        list[Annotated[list[Annotated[str, Field(max_length=200)]], Field(min_length=2, max_length=2)]],
        Field(max_length=1000),
    ]


class LevelsLeft(BaseModel):
    """The classes on each level of a hierarchy, and the rows in them."""

    levels: list[dict[str, int]]


class Commands(BaseModel):
    """How to make a release again without the web app."""

    command: str
    python: str


class WayOffered(BaseModel):
    """A way to lose less, and what it costs."""

    way: str
    text: str
    price: str


class Failed(BaseModel):
    """Why something could not be done."""

    ok: bool
    error: str
    hint: str | None
    status: int


class JobState(BaseModel):
    """How far a job is, and its result when it is done."""

    id: str
    kind: str
    state: str
    step: str
    share: float | None
    seconds: float
    seconds_left: float | None
    error: str
    hint: str
    points: list[dict[str, Any]]
    result: dict[str, Any] | None

    @classmethod
    def of(cls, job: Job) -> JobState:
        """Return the state of a job; parts of pages and settings are left out."""
        result = (
            None if job.result is None else {k: v for k, v in job.result.items() if k not in ("parts", "by_role")}
        )
        points = [{key: value for key, value in point.items() if key != "chart"} for point in job.points]
        return cls(
            id=job.id, kind=job.kind, state=job.state, step=job.step, share=job.share, seconds=job.seconds,
            seconds_left=job.seconds_left, error=job.error, hint=job.hint, points=points, result=result,
        )  # fmt: skip


class QuestionAsked(BaseModel):
    """A question about a column, and the settings that would answer it."""

    place: int
    column: str
    text: str
    fixes: list[str]
    answered: bool

    @classmethod
    def of(cls, question: Question) -> QuestionAsked:
        """Return a question as plain values."""
        fixes = [fix.text for fix in question.fixes]
        return cls(
            place=question.place, column=question.column, text=question.text, fixes=fixes, answered=question.answered
        )


class TableState(BaseModel):
    """An open table: what was found in it, and whether a release can be made."""

    id: str
    name: str
    job: JobState
    rows: int | None
    columns: list[dict[str, Any]]
    notes: list[str]
    open_questions: int
    ready: bool
    runs: list[int]

    @classmethod
    def of(cls, table: OpenTable) -> TableState:
        """Return the state of a table."""
        found = table.found
        job = JobState.of(table.job).model_copy(update={"result": None})
        return cls(
            id=table.id, name=table.name, job=job, rows=None if found is None else found["n_rows"],
            columns=table.columns, notes=[] if found is None else found["notes"],
            open_questions=len(table.open_questions), ready=table.can_run, runs=[run.number for run in table.runs],
        )  # fmt: skip


class Rows(BaseModel):
    """Some rows of a table; None is missing."""

    columns: list[str]
    start: int
    rows: list[list[str | None]]


class RunMade(BaseModel):
    """A release that was made."""

    number: int
    asked: dict[str, Any]
    policy: str = Field(description="The policy as TOML.")
    numbers: dict[str, Any]
    advice: list[str]

    @classmethod
    def of(cls, run: Run) -> RunMade:
        """Return the numbers of a run."""
        result = run.result
        return cls(
            number=run.number, asked=run.asked, policy=result["policy"], numbers=result["numbers"],
            advice=result["advice"],
        )  # fmt: skip
