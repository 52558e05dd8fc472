"""The policy: a role for every column, the requirements on every group, and the form of publication.

It is one object and one TOML file::

    k = 5
    max_suppressed = 0.01

    [diversity]                  # for every sensitive column without a diversity of its own
    l = 2

    [columns.name]
    role = "identifier"

    [columns.age]
    role = "quasi"
    kind = "number"

    [columns.diagnosis]
    role = "sensitive"

Unknown keys are errors that name the line.
"""

from __future__ import annotations

import os
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, Self, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationError,
    WrapValidator,
    model_validator,
)

from shoal.errors import ParameterError, is_text
from shoal.method_table import METHODS, Method, Objective
from shoal.policy.problems import first_problem, misplaced
from shoal.policy.toml_text import dump_comment, dump_table

Role = Literal["identifier", "quasi", "sensitive", "person", "other"]
Kind = Literal["number", "ordered", "label", "hierarchy", "date", "place", "region"]
DiversityKind = Literal["distinct", "frequency", "entropy", "recursive"]
GroundDistance = Literal["equal", "ordered", "hierarchical"]
DomainLoss = Literal["ncp", "levels", "entropy"]
Publication = Literal["auto", "generalize", "aggregate", "centers", "suppress"]
Period = Literal["day", "week", "month", "quarter", "year", "decade"]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]


def _one_line(path: Path) -> Path:
    if is_text(path):
        raise ValueError("a text was given, not the path of a file")
    return path


File = Annotated[Path, AfterValidator(_one_line)]


def _in_the_table(value: Any, written_out: Callable[[Any], Method]) -> Method:
    """A method of the table, also one that was added to it without a word in `Method`."""
    return cast(Method, value) if isinstance(value, str) and value in METHODS else written_out(value)


MethodName = Annotated[Method, WrapValidator(_in_the_table), PlainSerializer(str)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """Return the fields that were set."""
        return [(name, value) for name, value in super().__repr_args__() if name in self.model_fields_set]


class Hierarchy(_Part):
    """The source of a column's hierarchy: exactly one of the four.

    Parameters
    ----------
    file : Path, optional
        CSV without a header: column 0 is the value, each further column one level up.
    widths : sequence of float, optional
        Numbers: intervals of these widths, each a multiple of the one before.
    periods : sequence of str, optional
        Dates: each period (day, week, month, quarter, year, decade) one level up.
    prefix : bool, default False
        Codes: one character masked from the right per level.

    Examples
    --------
    >>> import shoal
    >>> shoal.Hierarchy(widths=[5, 10, 50])
    Hierarchy(widths=(5.0, 10.0, 50.0))
    """

    file: File | None = None
    """A CSV file without a header; column 0 is the value, each further column one level up."""
    widths: tuple[Positive, ...] | None = None
    """For numbers: intervals of these widths, one level each; each width is a multiple of the one before."""
    periods: tuple[Period, ...] | None = None
    """For dates: periods, one level each, from the shortest to the longest."""
    prefix: bool = False
    """For codes: each level masks one more character from the right."""

    @model_validator(mode="before")
    @classmethod
    def _path_alone(cls, value: Any) -> Any:
        return {"file": value} if isinstance(value, str | Path) else value

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        given = [self.file is not None, self.widths is not None, self.periods is not None, self.prefix]
        if sum(given) != 1:
            raise ValueError("a hierarchy takes exactly one of file, widths, periods or prefix = true")
        return self


class Map(_Part):
    """Which regions are neighbors, given as exactly one of edges, gal and polygons."""

    edges: File | None = None
    """A CSV file with a header and two columns: a pair of neighbors per line; beside a region without neighbors,
    nothing.
    """
    gal: File | None = None
    """A contiguity file (GAL) as GeoDa and PySAL write it."""
    polygons: File | None = None
    """A GeoJSON file; regions that touch are neighbors."""
    name: str | None = None
    """For polygons: the property with the region's name; by default the feature's id."""
    contiguity: Literal["queen", "rook"] = "queen"
    """For polygons: "queen" if a common corner makes regions neighbors, "rook" if a common border is needed."""
    islands: Literal["refuse", "join"] = "refuse"
    """What to do with components of fewer than k people: refuse them, or (for polygons) join them to the nearest
    region.
    """

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if sum(source is not None for source in (self.edges, self.gal, self.polygons)) != 1:
            raise ValueError("a map takes exactly one of edges, gal or polygons")
        if self.polygons is None and (self.name is not None or self.islands == "join"):
            raise ValueError("name and islands belong to a map of polygons")
        return self


class Diversity(_Part):
    """The requirement that every group has at least `l` well-represented values of a sensitive column.

    Parameters
    ----------
    l : float
        How many, at least 1; a whole number for the kinds distinct and recursive.
    kind : {"distinct", "frequency", "entropy", "recursive"}, default "distinct"
        What well-represented means.
    c : float, optional
        For recursive (c, l)-diversity, which needs it.

    Examples
    --------
    >>> import shoal
    >>> shoal.Diversity(l=3, kind="entropy")
    Diversity(l=3.0, kind='entropy')
    """

    l: Annotated[float, Field(ge=1, allow_inf_nan=False)]  # noqa: E741 (the field's own name)
    kind: DiversityKind = "distinct"
    c: Positive | None = None
    """For recursive (c, l)-diversity: the most frequent value is rarer than c times the l-th most frequent and all
    rarer ones.
    """

    @model_validator(mode="after")
    def _fits_kind(self) -> Self:
        if (self.kind == "recursive") != (self.c is not None):
            raise ValueError('c belongs to kind = "recursive", and that kind needs it')
        if self.kind in ("distinct", "recursive") and self.l != int(self.l):
            raise ValueError(f'l must be a whole number for kind = "{self.kind}"')
        return self


class Closeness(_Part):
    """The requirement that a sensitive column is distributed in every group as in the release, up to distance `t`.

    Parameters
    ----------
    t : float
        The largest distance, from 0 to 1.
    distance : {"equal", "ordered", "hierarchical"}, default "equal"
        How far two values are apart.

    Examples
    --------
    >>> import shoal
    >>> shoal.Closeness(t=0.2, distance="ordered")
    Closeness(t=0.2, distance='ordered')
    """

    t: Annotated[float, Field(ge=0, le=1)]
    distance: GroundDistance = "equal"


class Column(_Part):
    """One column: its role, how its values are compared and published, and its own requirements.

    Parameters
    ----------
    role : {"identifier", "quasi", "sensitive", "person", "other"}
        What the column is.
    kind : {"number", "ordered", "label", "hierarchy", "date", "place", "region"}, optional
        How distances are taken; by the column's type where not given.
    scale : {"range", "standard"} or float, optional
        What numbers and dates are divided by; as the method needs where not given.
    weight : float, default 1.0
        How much the column counts beside others.
    order : sequence of str, optional
        For ``kind="ordered"``: the values from lowest to highest.
    hierarchy : Hierarchy, str or Path, optional
        How values may get coarser.
    map : dict, optional
        For ``kind="region"``: which regions are neighbors.
    longitude : str, optional
        For ``kind="place"``, on the column of latitudes: the column of longitudes.
    shape : {"rectangle", "circle"}, default "rectangle"
        Of the published area.
    grid : float, optional
        Of the published area: its sides are multiples of so many degrees.
    round_ranges : float or str, optional
        Ends of published ranges are moved outwards to multiples of this, or to such a period.
    aggregate : {"mean", "median", "mode"}, optional
        What a group is published as by ``publication="aggregate"``.
    classes : "k" or int, optional
        Labels are published in classes, each held by at least k people, or by this many.
    bins : sequence of float, optional
        For a sensitive number: cut points; l and t are counted on the bins.
    diversity : Diversity, optional
        For a sensitive column: its own requirement instead of the policy's.
    closeness : Closeness, optional
        For a sensitive column: its own requirement instead of the policy's.

    Examples
    --------
    >>> import shoal
    >>> shoal.Column(role="sensitive", diversity=shoal.Diversity(l=2))
    Column(role='sensitive', diversity=Diversity(l=2.0))
    """

    role: Role
    kind: Kind | None = None
    """How values are compared; by default decided by the column's type."""
    scale: Literal["range", "standard"] | Positive | None = None
    """For numbers and dates: distances are divided by the range, the standard deviation or this number.

    By default the method decides.
    """
    weight: Positive = 1.0
    order: tuple[str, ...] | None = Field(default=None, repr=False)
    """For kind = "ordered": all values from lowest to highest."""
    hierarchy: Hierarchy | None = None
    map: Map | None = None
    """For kind = "region": which regions are neighbors; sets of regions are then connected."""
    longitude: str | None = None
    """For kind = "place", on the column of latitudes: the column of longitudes; both are published as one area."""
    shape: Literal["rectangle", "circle"] = "rectangle"
    """The form of the area: a rectangle in degrees, or a circle with a center and a radius in meters."""
    grid: Annotated[float, Field(gt=0, le=45, allow_inf_nan=False)] | None = None
    """The sides of the area are multiples of this many degrees, the outermost of ten times as many.

    By default it is chosen from the distances between the released places.
    """
    round_ranges: Positive | Period | None = None
    """Ends of published ranges are rounded outwards to multiples of this number, or to the start of such a period."""
    aggregate: Literal["mean", "median", "mode"] | None = None
    """For publication = "aggregate": what represents a group.

    By default the mean for numbers and dates, the median for ordered values and hierarchies (the leaf nearest to
    all), and the mode for labels.
    """
    classes: Literal["k"] | Annotated[int, Field(ge=2)] | None = None
    """For labels: only classes of labels are published, each with at least k people, or with at least this many."""
    bins: tuple[Annotated[float, Field(allow_inf_nan=False)], ...] | None = None
    """For a sensitive number: cut points; l and t are computed on the bins between them."""
    diversity: Diversity | None = None
    closeness: Closeness | None = None

    @model_validator(mode="after")
    def _fits_role(self) -> Self:
        """Raise an error for settings that do not belong to the column's role or kind."""
        if self.role != "sensitive" and (self.diversity or self.closeness or self.bins):
            raise ValueError("diversity, closeness and bins belong to a sensitive column")
        if self.classes is not None and (self.role != "quasi" or self.kind not in (None, "label") or self.hierarchy):
            raise ValueError("classes belong to a quasi-identifier of labels without a hierarchy")
        if self.kind == "hierarchy" and self.hierarchy is None:
            raise ValueError('kind = "hierarchy" needs a hierarchy')
        if self.hierarchy is not None and self.kind not in (None, "hierarchy"):
            raise ValueError('hierarchy belongs to kind = "hierarchy"')
        if self.order is not None and (self.kind not in (None, "ordered") or self.classes is not None):
            raise ValueError('order belongs to kind = "ordered"')
        if self.order is not None and len(set(self.order)) != len(self.order):
            raise ValueError("order names a value twice")
        if self.map is not None and self.kind not in (None, "region"):
            raise ValueError('map belongs to kind = "region"')
        if self.longitude is not None and self.kind not in (None, "place"):
            raise ValueError('longitude belongs to kind = "place"')
        if self.shape != "rectangle" and self.longitude is None:
            raise ValueError("shape belongs to the column of latitudes, which names its longitude")
        if self.round_ranges is not None and (
            self.role != "quasi" or self.kind not in (None, "number", "date", "place") or self.longitude is not None
        ):
            raise ValueError("round_ranges belongs to a quasi-identifier of numbers or dates")
        if self.grid is not None and self.longitude is None:
            raise ValueError("grid belongs to the column of latitudes, which names its longitude")
        if self.grid is not None and Decimal(90) % Decimal(repr(self.grid)):
            raise ValueError("a grid goes into 90 degrees a whole number of times, such as 0.1 or 0.5")
        if self.bins is not None and list(self.bins) != sorted(set(self.bins)):
            raise ValueError("bins must be increasing cut points")
        return self


class Source(_Part):
    """How to read a text file, where detection should be overridden."""

    separator: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    quote: Annotated[str, Field(max_length=1)] | None = None
    """The quote character; empty if cells are never quoted."""
    encoding: str | None = None
    decimal: Literal[".", ","] | None = None
    null_values: tuple[str, ...] = ()
    has_header: bool | None = None
    """Whether the first line has the column names; otherwise they are column_1, column_2 and so on."""


class Following(_Part):
    """What is kept from one release of a changing table to the next, so that together they keep the guarantee."""

    link: str
    """The column that identifies the person of a row in every release: an identifier, or the person; one row per
    person.
    """
    keep: Literal["groups", "values"] = "groups"
    """"groups": people published together stay together; "values": the set of values around a person stays."""
    reserve: Annotated[int, Field(ge=0)] = 0
    """For groups: how many people beyond k every new group has, so that some may leave."""
    departures: Literal["covered", "open"] = "covered"
    """For groups: "covered": k or more people of a group disappear at once; "open": people disappear as they
    leave.
    """
    counterfeits: bool = False
    """For values: whether made-up rows may take the place of people who left."""

    @model_validator(mode="after")
    def _fits_keep(self) -> Self:
        if self.keep == "values" and (self.reserve or self.departures != "covered"):
            raise ValueError('reserve and departures belong to keep = "groups"')
        if self.keep == "groups" and self.counterfeits:
            raise ValueError('counterfeits belong to keep = "values": a made-up row hides nobody\'s company')
        return self


class Policy(_Part):
    """Everything that determines a release, except the table itself and the secret.

    Parameters
    ----------
    k : int, default 5
        The fewest people in a group, at least 2.
    max_suppressed : float, default 0.0
        The share of the rows that may be left out, from 0 up to but not including 1.
    objective : str, default "auto"
        What is minimized: sse, radius, cellular or generalization.
    method : str, default "auto"
        How groups are found.
    loss : {"ncp", "levels", "entropy"}, default "ncp"
        What a node of a hierarchy costs.
    publication : str, default "auto"
        What a row becomes: generalize, aggregate, centers or suppress.
    ranges : {"brackets", "columns"}, default "brackets"
        How a range is written.
    seed : int, optional
        Tells several releases by one secret apart.
    effort : float, optional
        Search effort in proposals per record; the method's own where not given.
    time_limit : float, optional
        Seconds after which the search stops early.
    diversity : Diversity, optional
        Required of every sensitive column that does not say otherwise.
    closeness : Closeness, optional
        Required of every sensitive column that does not say otherwise.
    sequence : dict, optional
        For several releases of one table as it changes.
    source : dict, optional
        How to read a text file, where detection should be overruled.
    columns : dict of str to Column
        The role of every column.

    Examples
    --------
    >>> import shoal
    >>> columns = {"age": shoal.Column(role="quasi"), "name": shoal.Column(role="identifier")}
    >>> policy = shoal.Policy(k=10, columns=columns)
    >>> policy.quasi
    ['age']
    >>> print(policy.dumps())
    k = 10
    <BLANKLINE>
    [columns.age]
    role = "quasi"
    <BLANKLINE>
    [columns.name]
    role = "identifier"
    <BLANKLINE>
    """

    k: Annotated[int, Field(ge=2)] = 5
    max_suppressed: Annotated[float, Field(ge=0, lt=1)] = 0.0
    objective: Objective = "auto"
    method: MethodName = "auto"
    loss: DomainLoss = "ncp"
    """The cost of a node of a hierarchy: its share of all leaves, its level divided by all levels, or bits."""
    publication: Publication = "auto"
    ranges: Literal["brackets", "columns"] = "brackets"
    """How `generalize` writes a range of numbers: `[a, b]` in one column, or two columns `x_min`, `x_max`."""
    seed: Annotated[int, Field(ge=0, lt=2**63)] | None = None
    """A number that makes several releases with one secret different (default 0). Without the secret it repeats
    nothing.
    """
    effort: Annotated[float, Field(gt=0, le=10_000)] | None = None
    """Search effort in proposals per record; more takes longer. By default the method's own."""
    time_limit: Positive | None = None
    """Seconds after which the search stops early; the certificate then says so."""
    diversity: Diversity | None = None
    closeness: Closeness | None = None
    sequence: Following | None = None
    """Settings for several releases of one table as it changes."""
    source: Source = Source()
    columns: dict[str, Column] = Field(default_factory=dict)

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """Return the requirements, and how many columns have each role; the seed is not shown in logs."""
        yield "k", self.k
        if self.diversity:
            yield "l", self.diversity.l
        if self.closeness:
            yield "t", self.closeness.t
        yield from Counter(column.role for column in self.columns.values()).items()

    def named(self, *roles: Role) -> list[str]:
        """Return the columns with one of these roles, in the policy's order.

        Parameters
        ----------
        *roles : str
            One role or several.

        Returns
        -------
        list of str
            Names of columns.
        """
        return [name for name, column in self.columns.items() if column.role in roles]

    @property
    def quasi(self) -> list[str]:
        """The quasi-identifiers, in the policy's order."""
        return self.named("quasi")

    @property
    def recoded(self) -> list[str]:
        """Quasi-identifiers that are published in classes of labels."""
        return [name for name in self.quasi if self.columns[name].classes is not None]

    @property
    def sensitive(self) -> list[str]:
        """The sensitive columns, in the policy's order."""
        return self.named("sensitive")

    @property
    def person(self) -> str | None:
        """The column that tells which rows are one person's, or None."""
        return next(iter(self.named("person")), None)

    def diversity_of(self, name: str) -> Diversity | None:
        """Return the diversity required of a sensitive column: its own, otherwise that of the whole policy.

        Parameters
        ----------
        name : str
            A sensitive column.

        Returns
        -------
        Diversity or None
            None where nothing is asked.
        """
        return self.columns[name].diversity or self.diversity

    def closeness_of(self, name: str) -> Closeness | None:
        """Return the closeness required of a sensitive column: its own, otherwise that of the whole policy.

        Parameters
        ----------
        name : str
            A sensitive column.

        Returns
        -------
        Closeness or None
            None where nothing is asked.
        """
        return self.columns[name].closeness or self.closeness

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        people = self.named("person")
        if len(people) > 1:
            raise misplaced(
                ("columns", people[1]), f"only one column can be the person; {people[0]!r} is one already"
            )
        for name, column in self.columns.items():
            other = self.columns.get(column.longitude) if column.longitude is not None else None
            if column.longitude is not None and (other is None or other.role != column.role or other.longitude):
                raise misplaced(
                    ("columns", name, "longitude"),
                    f"{column.longitude!r} is not a column of longitudes with the same role",
                )
        if self.sequence is not None and self.columns:
            self._link_is_a_person(self.sequence.link)
        for asked in ("diversity", "closeness"):
            if getattr(self, asked) and self.columns and not self.sensitive:
                raise misplaced((asked,), "no column has the role sensitive")
        return self

    def _link_is_a_person(self, link: str) -> None:
        """Raise an error unless the link identifies people and is not published."""
        if link not in self.named("identifier", "person"):
            raise misplaced(
                ("sequence", "link"), f"{link!r} must be a column with the role identifier or person, and is not"
            )
        if self.person not in (None, link):
            raise misplaced(("sequence", "link"), f"it must be {self.person!r}, the column of the person")

    # -- TOML ---------------------------------------------------------------------------------------------

    @classmethod
    def parse(cls, settings: Mapping[str, Any], *, text: str = "", origin: str = "policy") -> Policy:
        """Return the policy with plain settings; an error names the key and, if `text` is the TOML, its line.

        Parameters
        ----------
        settings : dict
            What TOML of a policy gives.
        text : str, default ""
            The TOML, where there is one, so that an error names the line.
        origin : str, default "policy"
            What messages call it.

        Returns
        -------
        Policy
            Validated.

        Raises
        ------
        ParameterError
            If a key is not known or a value is out of its range.
        """
        try:
            return cls.model_validate(dict(settings))
        except ValidationError as found:
            raise first_problem(found, text, origin, _known_keys) from None

    @classmethod
    def load(cls, path: str | Path) -> Policy:
        """Read a TOML file. Paths of hierarchy and map files are relative to it.

        Parameters
        ----------
        path : str or Path
            The file.

        Returns
        -------
        Policy
            Validated.

        Raises
        ------
        ParameterError
            If the file cannot be read, or is no policy.
        """
        if not isinstance(path, str | Path):
            raise ParameterError(
                f"an object of type {type(path).__name__} is not a policy.",
                "give a Policy, the path of a TOML file or a dictionary.",
            )
        path = Path(path)
        if is_text(path):
            raise ParameterError(
                "the policy is a text, not the path of a file.", "shoal.Policy.loads(text) makes a policy of TOML."
            )
        try:
            text = path.read_text(encoding="utf-8-sig")
        except OSError as failed:
            raise ParameterError(
                f"the policy {path.name} cannot be read ({failed.strerror}).",
                "give the path of a TOML file; `shoal profile data.csv --write policy.toml` starts one.",
            ) from None
        except UnicodeDecodeError:
            raise ParameterError(f"the policy {path.name} is not UTF-8 text.") from None
        return cls.loads(text, origin=path.name).relative_to(path.parent)

    @classmethod
    def loads(cls, text: str, *, origin: str = "policy") -> Policy:
        """Read a policy from TOML text; `dumps` writes it.

        Parameters
        ----------
        text : str
            TOML.
        origin : str, default "policy"
            What messages call it.

        Returns
        -------
        Policy
            Validated.

        Raises
        ------
        ParameterError
            If it is not valid TOML, or no policy.
        """
        try:
            return cls.parse(tomllib.loads(text), text=text, origin=origin)
        except RecursionError:
            raise ParameterError(
                f"{origin} is nested too deeply to be a policy.",
                "write the policy anew; see docs/reference/policy.md.",
            ) from None
        except tomllib.TOMLDecodeError as failed:
            raise ParameterError(
                f"{origin} is not valid TOML: {failed}.",
                "a column or key that occurs twice is one such error; each column has one role.",
            ) from None

    def relative_to(self, folder: Path) -> Policy:
        """Return the policy with the paths of hierarchy and map files taken relative to `folder`.

        Parameters
        ----------
        folder : Path
            From where relative paths are taken.

        Returns
        -------
        Policy
            A new one; absolute paths stay as they are.
        """

        def placed(column: Column) -> Column:
            moved = {}
            for part, files in (("hierarchy", ("file",)), ("map", ("edges", "gal", "polygons"))):
                source = getattr(column, part)
                paths = {key: path for key in files if (path := getattr(source, key, None)) is not None}
                if paths:  # an absolute path stays as it is
                    moved[part] = source.model_copy(update={key: folder / path for key, path in paths.items()})
            return column.model_copy(update=moved)

        return self.model_copy(update={"columns": {name: placed(c) for name, c in self.columns.items()}})

    def dumps(self, *, comments: Mapping[str, str] | None = None) -> str:
        """Return the policy as TOML; `comments` are written above the columns that are their keys.

        Parameters
        ----------
        comments : dict of str to str, optional
            Sentences above the columns they are keyed by.

        Returns
        -------
        str
            What `loads` reads.
        """
        settings = self.model_dump(mode="json", exclude_defaults=True, exclude_none=True)
        columns = settings.pop("columns", {})
        parts = [dump_table({"k": self.k} | settings)]
        for name, column in columns.items():
            above = dump_comment((comments or {}).get(name, ""))
            parts.append(above + dump_table(column, path=("columns", name)))
        return "\n".join(parts)

    def write(self, path: str | Path, *, force: bool = False) -> None:
        """Write the policy as a TOML file from which `load` gives it back; an existing file stays.

        Files of hierarchies and maps are written relative to the folder of the policy, as `load` takes them.

        Parameters
        ----------
        path : str or Path
            The file, such as policy.toml.
        force : bool, default False
            Whether an existing file is replaced. A failure leaves it as it was.

        Raises
        ------
        TableError
            If the file exists already and `force` is False, or it cannot be written.

        Examples
        --------
        >>> import shoal, tempfile
        >>> policy = shoal.Policy(k=10, columns={"age": shoal.Column(role="quasi")})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     policy.write(f"{folder}/policy.toml")
        ...     shoal.Policy.load(f"{folder}/policy.toml") == policy
        True
        """
        # Imported where it is used: the parts that only read a policy need no tables.
        from shoal.tables.writing import write_new_text

        here, there = Path.cwd(), Path(path).parent.resolve()
        try:
            back = Path(os.path.relpath(here, there))
        except ValueError:  # another drive of Windows
            back = here
        write_new_text(path, self.relative_to(back).dumps(), force=force)


def _known_keys(keys: Sequence[str]) -> list[str]:
    """Return the settings that exist at the place that `keys` lead to."""
    parts: dict[str, type[_Part]] = {
        "diversity": Diversity,
        "closeness": Closeness,
        "sequence": Following,
        "source": Source,
        "hierarchy": Hierarchy,
        "map": Map,
    }
    if not keys:
        return sorted(Policy.model_fields)
    if keys[0] == "columns" and len(keys) == 2:
        return sorted(Column.model_fields)
    return sorted(parts[keys[-1]].model_fields)
