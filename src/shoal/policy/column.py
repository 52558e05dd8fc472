"""One column of a policy: its role, how its values are compared and published, and its own requirements."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from shoal.policy.column_checks import check_format, check_number, check_role, check_set
from shoal.policy.column_sources import Hierarchy, Map
from shoal.policy.date_format import DateFormat
from shoal.policy.month_names import Language
from shoal.policy.moving_dates import Moving, check_moving
from shoal.policy.number_format import NumberFormat
from shoal.policy.perturbation import Perturbation, check_perturbation
from shoal.policy.recoding import RECODING, Limit, Merged, as_texts, check_digits, check_recoding
from shoal.policy.requirements import Closeness, Disclosure, Diversity
from shoal.policy.setting_types import Kind, Part, Period, Positive, Role, Weight


class Column(Part):
    """One column: its role, how its values are compared and published, and its own requirements.

    Parameters
    ----------
    role : {"identifier", "quasi", "sensitive", "person", "weight", "other"}
        What the column is.
    kind : {"number", "ordered", "label", "hierarchy", "date", "place", "region", "set"}, optional
        How values are compared; by default decided by the column's type. A cell of kind "set" holds several items.
    scale : {"range", "standard"} or float, optional
        What distances of numbers and dates are divided by; by default the method decides.
    weight : float, default 1.0
        How much the column counts in distances, relative to the other columns; from 1e-100 to 1e100.
    order : sequence of str, optional
        For ``kind="ordered"``: the values from lowest to highest.
    hierarchy : Hierarchy, str or Path, optional
        How values are generalized, level by level.
    map : dict, optional
        For ``kind="region"``: which regions are neighbors.
    longitude : str, optional
        For ``kind="place"``, on the column of latitudes: the column of longitudes.
    shape : {"rectangle", "circle"}, default "rectangle"
        The form of the published area.
    grid : float, optional
        The sides of the published area are multiples of this many degrees.
    round_ranges : float or str, optional
        The ends of published ranges are rounded outwards to multiples of this number, or to the start of such a
        period.
    aggregate : {"mean", "median", "mode"}, optional
        For ``publication="aggregate"``: the statistic that is published for a group.
    classes : "k" or int, optional
        Labels are published in classes, each with at least k people, or with at least this many.
    publish_rare : bool or "merged", default False
        Whether labels that only one person has are published: not at all (False), unchanged (True), or merged into
        one label ("merged").
    separator : str, default ";"
        For ``kind="set"``: the text between the items of a cell.
    format : str, optional
        How dates are written, such as ``"%d.%m.%Y"``; they are published in the same way.
    language : {"en", "de", "fr", "es", "it"}, default "en"
        For a format with names of months: their language.
    number : NumberFormat or dict, optional
        How numbers are written: decimal sign, thousands, unit or currency; they are published in the same way.
    first_year : int, optional
        For a format with years of two digits: the first of the hundred years that they stand for.
    unreadable : {"refuse", "missing"}, default "refuse"
        What happens to cells that are not dates in the format: an error, or they count as missing.
    relative_to : {"week", "month", "quarter", "year"}, optional
        For dates: when the plan of the release is applied to a later table, its ranges and periods move with the
        newest such period of that table.
    origin : date, optional
        For ``relative_to``: the first day of the newest period; by default it is found from the table.
    bins : sequence of float, optional
        For a number with l or t: the cut points of bins, on which l and t are counted.
    diversity : Diversity, optional
        For a sensitive column: its own requirement instead of the policy's. For a quasi-identifier whose value is
        also sensitive: the requirement on the true values of every group.
    closeness : Closeness, optional
        The same for t-closeness.
    disclosure : Disclosure, optional
        The same for limits on the shares of single values.
    null_values : sequence of str or number, optional
        Texts and numbers that mean missing in this column, such as unknown, k.A. or 999. They are ignored for the
        role other, whose cells are published unchanged.
    top, bottom : float or date, optional
        Before groups are made, values at or above `top` become "`top` or more", values at or below `bottom`
        "`bottom` or less".
    round : float or str, optional
        Before groups are made, values become the nearest multiple of this, or dates the beginning of such a period.
    merge : dict of str to sequence of str, optional
        Before groups are made, the values listed for each new label are replaced by it.
    consistent : bool, default False
        For the person column: whether all rows of a person are published alike, in one group, under one number.
    pseudonym : bool, default False
        For a consistent person column: whether people are published under pseudonyms that are the same in every
        table made with the same secret.
    perturb : Perturbation, optional
        For a column that is published as it is: how its values are changed by chance.
    least_level, greatest_level : int, optional
        For a hierarchy: the finest and the coarsest level that is published; level 0 has the values themselves.

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
    weight: Weight = 1.0
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
    """The sides of the area are multiples of this many degrees; the outermost sides, of ten times as many.

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
    """Whether labels that only one person in the whole table, or in its released rows, has are published.

    By default a release that would show such a label is refused. "merged" publishes all labels that fewer than k
    people have as one label. True publishes every label unchanged, and also texts that seem to contain identifiers.
    """
    separator: Annotated[str, Field(min_length=1, max_length=10)] = ";"
    """For kind = "set": what stands between the items of a cell; blanks around items do not count."""
    format: str | None = None
    """For dates: how they are written, in the parts of Python's strftime (`%d.%m.%Y`), or "excel" for the whole
    numbers of a spreadsheet. What is published is written in the same way. By default ISO 8601.
    """
    language: Language = "en"
    """For a format with names of months (%b, %B): the language of the names."""
    first_year: Annotated[int, Field(ge=1, le=9900)] | None = None
    """For a format with years of two digits (%y): the first of the hundred years that they stand for."""
    unreadable: Literal["refuse", "missing"] = "refuse"
    """For a format: whether cells that are not dates in it stop the run, or count as missing."""
    number: NumberFormat | None = None
    """How numbers are written: with a decimal comma, separators of thousands, a unit or a currency."""
    relative_to: Moving | None = None
    """For dates: when the plan of the release is applied to a later table, its ranges and periods move on by as many
    weeks, months, quarters or years as the newest one has moved. The newest period is the latest in or after which at
    least k released people have a date.
    """
    origin: date | None = None
    """For relative_to: the first day of the newest period of this table; by default it is found from the table."""
    bins: tuple[Annotated[float, Field(allow_inf_nan=False)], ...] | None = None
    """For a sensitive number: cut points; l and t are computed on the bins between them."""
    diversity: Diversity | None = None
    closeness: Closeness | None = None
    disclosure: Disclosure | None = None
    null_values: Annotated[tuple[str, ...], BeforeValidator(as_texts)] = ()
    """Texts and numbers that mean missing in this column, besides those that mean missing in the whole file."""
    top: Limit | None = None
    """For numbers and dates: values at or above it are published as `>=top`, and nothing more is known of them."""
    bottom: Limit | None = None
    """For numbers and dates: values at or below it are published as `<=bottom`."""
    round: Annotated[Positive | Period | None, BeforeValidator(check_digits)] = None
    """For numbers: rounded to the nearest multiple, halves up. For dates: moved to the beginning of the period.

    Values are rounded before `top` and `bottom` are applied, which must be multiples of it.
    """
    merge: Merged | None = None
    """For labels: which values are merged into which new label, as in `{ "other" = ["a", "b"] }`."""
    consistent: bool = False
    """For the person column: whether all rows of a person are published alike, in one group, under one number."""
    pseudonym: bool = False
    """For a consistent person column: whether people are published under pseudonyms that are the same in every table
    made with the same secret, instead of numbers.
    """
    least_level: Annotated[int, Field(ge=0, le=1000)] = 0
    """For a hierarchy: nothing finer than this level is published; level 0 has the values themselves."""
    greatest_level: Annotated[int, Field(ge=0, le=1000)] | None = None
    """For a hierarchy: nothing coarser than this level is published; rows that need more are left out, within
    `max_suppressed`.
    """

    perturb: Perturbation | None = None
    """For the roles sensitive and other: how values are changed by chance before they are published."""

    @property
    def date_format(self) -> DateFormat | None:
        """How the dates of the column are written; None for ISO 8601.

        Returns
        -------
        DateFormat or None
            The format, with the language of its months and the hundred years of its two-digit years.
        """
        return None if self.format is None else DateFormat(self.format, self.language, self.first_year)

    @property
    def between(self) -> str:
        """The separator by which cells of kind "set" are split: without the blanks around it, which do not count."""
        return self.separator.strip() or " "

    @property
    def is_set(self) -> bool:
        """Whether its cells are sets that others may know in part: a quasi-identifier of kind "set"."""
        return self.role == "quasi" and self.kind == "set"

    @property
    def is_recoded(self) -> bool:
        """Whether values are changed before groups are made: by `top`, `bottom`, `round` or `merge`."""
        return any(getattr(self, setting) is not None for setting in RECODING)

    @property
    def has_own_requirement(self) -> bool:
        """Whether the column has a requirement on its own values: diversity, closeness or disclosure.

        Returns
        -------
        bool
            False also if only the policy as a whole has one.
        """
        return any(asked is not None for asked in (self.diversity, self.closeness, self.disclosure))

    @property
    def has_order(self) -> bool:
        """Whether the settings show that values have an order: numbers, dates, bins or a stated order.

        Returns
        -------
        bool
            False also if only the table can show it.
        """
        stated = (self.order, self.bins, self.number, self.format, self.top, self.bottom)
        return self.kind in ("number", "date") or any(setting is not None for setting in stated)

    @model_validator(mode="before")
    @classmethod
    def _kind_as_published(cls, value: Any) -> Any:
        """Return the settings with kind "hierarchy" or "ordered" if a number, date or label has a hierarchy or order.

        A user who writes kind = "date" and a hierarchy of periods states what the cells are; the column is published
        by the hierarchy.
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
    def _fits_together(self) -> Self:
        """Raise an error for settings that do not belong to the column's role, its kind or the form of its cells."""
        check_format(self)
        check_number(self)
        check_set(self)
        check_role(self)
        check_moving(self)
        check_recoding(self)
        check_perturbation(self)
        return self
