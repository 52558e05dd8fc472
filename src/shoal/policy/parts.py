"""The parts of a policy: columns and their hierarchies and maps, requirements, how a file is read."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    model_validator,
)

from shoal.errors import is_text
from shoal.policy.date_format import RESOLUTIONS, DateFormat
from shoal.policy.month_names import Language
from shoal.policy.number_format import NumberFormat

Role = Literal["identifier", "quasi", "sensitive", "person", "other"]
Kind = Literal["number", "ordered", "label", "hierarchy", "date", "place", "region"]
DiversityKind = Literal["distinct", "frequency", "entropy", "recursive"]
GroundDistance = Literal["equal", "ordered", "hierarchical"]
CellLoss = Literal["ncp", "information", "levels", "entropy"]
Publication = Literal["auto", "generalize", "aggregate", "centers", "suppress"]
Period = Literal["day", "week", "month", "quarter", "year", "decade"]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]


def _one_line(path: Path) -> Path:
    if is_text(path):
        raise ValueError("a text was given, not the path of a file")
    return path


File = Annotated[Path, AfterValidator(_one_line)]


def _as_texts(codes: Any) -> Any:
    """Return a list of texts, numbers and dates with each as text (999 and 999.0 as 999); anything else unchanged."""
    return tuple(map(_as_text, codes)) if isinstance(codes, list | tuple) else codes


def _as_text(code: Any) -> Any:
    if isinstance(code, date):
        return code.isoformat()
    if isinstance(code, float) and code.is_integer():
        return str(int(code))
    return str(code) if isinstance(code, int | float) and not isinstance(code, bool) else code


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """Return the fields that were set."""
        return [(name, value) for name, value in super().__repr_args__() if name in self.model_fields_set]


class Hierarchy(Part):
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
    cuts : sequence of int, optional
        Of prefix: the numbers of first characters that name a larger unit; only those are levels.
    digits : int, optional
        Of prefix: whole numbers are codes of so many digits, whose leading zeros were lost.

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
    cuts: tuple[Annotated[int, Field(ge=1, le=100)], ...] | None = None
    """For codes: the numbers of first characters that name a larger unit, such as 1 and 3 for ICD-10; levels are only
    these, from the largest number to the smallest.
    """
    digits: Annotated[int, Field(ge=2, le=20)] | None = None
    """For codes read as whole numbers: how many digits they have, so that leading zeros are put back."""

    @model_validator(mode="before")
    @classmethod
    def _path_alone(cls, value: Any) -> Any:
        return {"file": value} if isinstance(value, str | Path) else value

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        given = [self.file is not None, self.widths is not None, self.periods is not None, self.prefix]
        if sum(given) != 1:
            raise ValueError("a hierarchy takes exactly one of file, widths, periods or prefix = true")
        if not self.prefix and (self.cuts is not None or self.digits is not None):
            raise ValueError("cuts and digits belong to prefix = true")
        if self.cuts is not None and (not self.cuts or list(self.cuts) != sorted(set(self.cuts))):
            raise ValueError("cuts must be increasing numbers of characters, such as [1, 3]")
        return self


class Map(Part):
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


class Diversity(Part):
    """The requirement that every group has at least `l` well-represented values of a sensitive column.

    Parameters
    ----------
    l : float
        How many, at least 1; a whole number for the kinds distinct and recursive.
    kind : {"distinct", "frequency", "entropy", "recursive"}, default "distinct"
        What well-represented means.
    c : float, optional
        For recursive (c, l)-diversity, which needs it.
    count_missing : bool, default False
        Whether a missing value counts as a value. It does not by default: whoever shares a group with people of
        whom nothing is known is not hidden by them.

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
    count_missing: bool = False
    """Whether a missing value counts as a value of the column."""

    @model_validator(mode="after")
    def _fits_kind(self) -> Self:
        if (self.kind == "recursive") != (self.c is not None):
            raise ValueError('c belongs to kind = "recursive", and that kind needs it')
        if self.kind in ("distinct", "recursive") and self.l != int(self.l):
            raise ValueError(f'l must be a whole number for kind = "{self.kind}"')
        return self


class Closeness(Part):
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


class Column(Part):
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
    publish_rare : bool or "merged", default False
        Whether labels that one person alone has are published: not at all, as they are, or merged into one label.
    format : str, optional
        How dates are written, such as ``"%d.%m.%Y"``; they are published in the same way.
    language : {"en", "de", "fr", "es", "it"}, default "en"
        For a format with names of months: their language.
    number : NumberFormat or dict, optional
        How numbers are written: decimal sign, thousands, unit or currency; they are published in the same way.
    first_year : int, optional
        For a format with years of two digits: the first of the hundred years that they stand for.
    unreadable : {"refuse", "missing"}, default "refuse"
        What becomes of cells that are no dates of the format: an error, or missing.
    bins : sequence of float, optional
        For a number with l or t: cut points; l and t are counted on the bins.
    diversity : Diversity, optional
        For a sensitive column: its own requirement instead of the policy's. For a quasi-identifier that is delicate
        as well: what the true values of every group must meet.
    closeness : Closeness, optional
        The same for t-closeness.
    null_values : sequence of str or number, optional
        What means missing in this column: unknown, k.A., 999. A column with the role other is published as it is.

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
    publish_rare: bool | Literal["merged"] = False
    """Whether labels that one person alone has in the whole table are published.

    By default a release that would show one is refused. "merged" publishes those that fewer than k people have as one
    label; true publishes every label as it is, and texts of other columns even if identifiers seem to be inside.
    """
    format: str | None = None
    """For dates: how they are written, in the parts of Python's strftime (`%d.%m.%Y`), or "excel" for the whole
    numbers of a spreadsheet. What is published is written in the same way. By default ISO 8601.
    """
    language: Language = "en"
    """For a format with names of months (%b, %B): the language of the names."""
    first_year: Annotated[int, Field(ge=1, le=9900)] | None = None
    """For a format with years of two digits (%y): the first of the hundred years that they stand for."""
    unreadable: Literal["refuse", "missing"] = "refuse"
    """For a format: whether cells that are no dates of it stop the run, or count as missing."""
    number: NumberFormat | None = None
    """How numbers are written: with a decimal comma, separators of thousands, a unit or a currency."""
    bins: tuple[Annotated[float, Field(allow_inf_nan=False)], ...] | None = None
    """For a sensitive number: cut points; l and t are computed on the bins between them."""
    diversity: Diversity | None = None
    closeness: Closeness | None = None
    null_values: Annotated[tuple[str, ...], BeforeValidator(_as_texts)] = ()
    """Texts and numbers that mean missing in this column, beside those that mean missing in the whole file."""

    @property
    def date_format(self) -> DateFormat | None:
        """How the dates of the column are written; None for ISO 8601.

        Returns
        -------
        DateFormat or None
            The format with its language and its hundred years.
        """
        return None if self.format is None else DateFormat(self.format, self.language, self.first_year)

    @model_validator(mode="after")
    def _fits_format(self) -> Self:
        """Raise an error for a format that cannot be read, or that other settings do not fit."""
        form = self.date_format
        if form is None:
            if self.language != "en" or self.first_year is not None or self.unreadable != "refuse":
                raise ValueError("language, first_year and unreadable belong to a format")
            return self
        form.check()
        source = self.hierarchy
        by_periods = self.kind in (None, "hierarchy") and source is not None and source.periods is not None
        if not by_periods and (self.kind not in (None, "date") or self._other_kind()):
            raise ValueError("format belongs to dates")
        asked = [*(source.periods or () if source is not None else ()), self.round_ranges]
        for period in ("day", "week"):
            if period in asked and RESOLUTIONS.index(form.resolution) < RESOLUTIONS.index("day"):
                raise ValueError(f"the format has no days, so that there is no {period} of them")
        return self

    def _other_kind(self) -> bool:
        """Return whether a setting is given that belongs to another kind than dates."""
        kinds = (self.hierarchy, self.order, self.map, self.longitude, self.classes, self.bins)
        return any(given is not None for given in kinds)

    @model_validator(mode="before")
    @classmethod
    def _kind_as_published(cls, value: Any) -> Any:
        """Return the settings with the kind that the hierarchy or the order makes of numbers, dates and labels.

        Whoever writes kind = "date" beside a hierarchy of periods says what the cells are, and means the hierarchy.
        """
        if not isinstance(value, dict):
            return value
        source = value.get("hierarchy")
        if isinstance(source, dict | Hierarchy):
            given = source if isinstance(source, dict) else source.model_dump(exclude_defaults=True)
            held = "number" if "widths" in given else "date" if "periods" in given else "label"
        else:
            held = "label"
        if source is not None and value.get("kind") == held:
            return value | {"kind": "hierarchy"}
        if value.get("order") is not None and value.get("kind") == "label":
            return value | {"kind": "ordered"}
        return value

    @model_validator(mode="after")
    def _fits_number(self) -> Self:
        """Raise an error for a format of numbers in a column of anything else."""
        source = self.hierarchy
        other = self.order is not None or self.map is not None or self.classes is not None or self.format is not None
        by_widths = source is None or source.widths is not None
        if self.number is not None and (self.kind not in (None, "number", "hierarchy") or other or not by_widths):
            raise ValueError("number belongs to a column of numbers")
        return self

    @model_validator(mode="after")
    def _fits_role(self) -> Self:
        """Raise an error for settings that do not belong to the column's role or kind."""
        asked = self.diversity is not None or self.closeness is not None
        if self.role not in ("sensitive", "quasi") and (asked or self.bins):
            raise ValueError("diversity, closeness and bins belong to a sensitive column or a quasi-identifier")
        if self.role == "quasi" and self.bins and not asked:
            raise ValueError("bins of a quasi-identifier belong to its diversity or closeness")
        if self.role == "quasi" and asked and (self.kind == "place" or self.longitude is not None):
            raise ValueError("diversity and closeness of a place are not known; ask them of another column")
        if self.classes is not None and (self.role != "quasi" or self.kind not in (None, "label") or self.hierarchy):
            raise ValueError("classes belong to a quasi-identifier of labels without a hierarchy")
        if self.publish_rare and self.role in ("identifier", "person"):
            raise ValueError("publish_rare belongs to a column that is published")
        if self.publish_rare == "merged" and (
            self.role != "quasi" or self.kind not in (None, "label") or self.hierarchy or self.order or self.map
        ):
            raise ValueError('publish_rare = "merged" belongs to a quasi-identifier of labels without a hierarchy')
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


class Source(Part):
    """How to read a text file, where detection should be overridden."""

    separator: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    quote: Annotated[str, Field(max_length=1)] | None = None
    """The quote character; empty if cells are never quoted."""
    encoding: str | None = None
    decimal: Literal[".", ","] | None = None
    null_values: tuple[str, ...] = ()
    has_header: bool | None = None
    """Whether the first line has the column names; otherwise they are column_1, column_2 and so on."""


class Following(Part):
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
