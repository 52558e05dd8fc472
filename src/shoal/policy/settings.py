"""The settings of a policy, and what follows from them for a column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, Literal, Self, cast

from pydantic import AfterValidator, BaseModel, Field, PlainSerializer, WrapValidator, model_validator

from shoal.method_table import METHODS, Method, Objective
from shoal.policy.column import Column
from shoal.policy.column_checks import NOT_OF_SETS
from shoal.policy.column_sources import Hierarchy, Map
from shoal.policy.condition import parse_condition
from shoal.policy.dossier import Dossier
from shoal.policy.key_set import KeySet
from shoal.policy.metadata import Metadata
from shoal.policy.number_format import NumberFormat
from shoal.policy.perturbation import Perturbation
from shoal.policy.problems import misplaced
from shoal.policy.requirements import Closeness, Disclosure, Diversity
from shoal.policy.sequence import Following
from shoal.policy.setting_types import CellLoss, File, GroundDistance, Part, Positive, Publication, Role, Synthetic
from shoal.policy.text_file import Source


def _in_the_table(value: Any, written_out: Callable[[Any], Method]) -> Method:
    """Return the name of a method in the table of methods, also of one that the type `Method` does not list."""
    return cast(Method, value) if isinstance(value, str) and value in METHODS else written_out(value)


def _is_condition(text: str) -> str:
    parse_condition(text)
    return text


MethodName = Annotated[Method, WrapValidator(_in_the_table), PlainSerializer(str)]


KNOWN_ITEMS = 2
"""The m of k^m-anonymity, where a policy does not say it."""


class Settings(Part):
    """All settings of a policy. `Policy` documents each of them, and reads and writes them."""

    k: Annotated[int, Field(ge=2)] = 5
    m: Annotated[int, Field(ge=1, le=3)] | None = None
    """For a quasi-identifier of kind "set": how many of a person's items others may know (default 2)."""
    max_suppressed: Annotated[float, Field(ge=0, lt=1)] = 0.0
    objective: Objective = "auto"
    method: MethodName = "auto"
    loss: CellLoss = "ncp"
    """The cost of a generalized cell: the share of the range, labels or leaves that it covers (ncp); the logarithm of
    the number of values it may stand for, divided by that of all values (information); the level of its node divided
    by the number of levels (levels); or, for methods that recode whole columns, the bits that are lost (entropy).
    """
    max_groups: Annotated[int, Field(ge=1)] | None = None
    """The largest number of groups, for methods that can limit it (gather)."""
    opening_cost: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    """What each group costs besides its size times its radius, for methods that take it (cellular)."""
    publication: Publication = "auto"
    ranges: Literal["brackets", "columns"] = "brackets"
    """How `generalize` writes a range of numbers: `[a, b]` in one column, or two columns `x_min`, `x_max`."""
    synthetic: Synthetic | None = None
    """Whether synthetic rows are published beside the release, drawn from its cells: every column by itself
    (marginals), or numbers and dates related as in the whole release (copula).
    """
    evidence: bool = False
    """Whether the report and the dossier also have what attackers and analysts get from the release; private."""
    seed: Annotated[int, Field(ge=0, lt=2**63)] | None = None
    """A number that makes several releases with one secret different (default 0). Without the secret, it cannot be
    used to repeat a release.
    """
    effort: Annotated[float, Field(gt=0, le=10_000)] | None = None
    """Search effort in proposals per record; more takes longer. By default the method's own."""
    time_limit: Positive | None = None
    """Seconds after which the search stops early; the certificate then says so."""
    diversity: Diversity | None = None
    closeness: Closeness | None = None
    disclosure: Disclosure | None = None
    keys: dict[str, KeySet] = Field(default_factory=dict)
    """Sets of quasi-identifiers that somebody knows, each with a k of its own besides that of all of them."""
    where: Annotated[str, AfterValidator(_is_condition)] | None = None
    """A condition on the cells of a row, such as ``country = 'DE'``: the release is about the rows that meet it."""
    sample: Annotated[float, Field(gt=0, lt=1)] | None = None
    """The share of the people, or of the rows without a person column, that are drawn at random for the release."""
    population: Annotated[int, Field(ge=1, strict=True)] | File | None = None
    """The number of people that the table is a sample of, or the file of a table of all of them.

    The report and the dossier then have the risk in the population, before and after.
    """
    sequence: Following | None = None
    """Settings for several releases of one table as it changes."""
    dossier: Dossier | None = None
    """What people say about the release for its dossier; nothing of it is published."""
    metadata: Metadata | None = None
    """Descriptions for catalogs and archives that are written beside the release, and what they say."""
    source: Source = Source()
    columns: dict[str, Column] = Field(default_factory=dict)

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """Return the requirements, and how many columns have each role; the seed is not shown in logs."""
        yield "k", self.k
        if self.m is not None:
            yield "m", self.m
        if self.diversity:
            yield "l", self.diversity.l
        if self.closeness:
            yield "t", self.closeness.t
        if self.disclosure:
            yield from ((key, value) for key, value in self.disclosure if key in ("alpha", "beta", "delta") and value)
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
        """The quasi-identifiers that groups are formed on, in the policy's order: all but that of kind "set"."""
        return [name for name in self.named("quasi") if not self.columns[name].is_set]

    @property
    def set_column(self) -> str | None:
        """The quasi-identifier whose cells are sets of items, or None."""
        return next((name for name, column in self.columns.items() if column.is_set), None)

    @property
    def known_items(self) -> int:
        """How many items of a person others may know: the m of k^m-anonymity."""
        return KNOWN_ITEMS if self.m is None else self.m

    @property
    def recoded(self) -> list[str]:
        """The quasi-identifiers that are published in classes of labels."""
        return [name for name in self.quasi if self.columns[name].classes is not None]

    @property
    def sensitive(self) -> list[str]:
        """The sensitive columns, in the policy's order."""
        return self.named("sensitive")

    @property
    def sensitive_quasi(self) -> list[str]:
        """The quasi-identifiers with a requirement on their own values: known to others and also sensitive."""
        return [name for name in self.quasi if self.columns[name].has_own_requirement]

    @property
    def all_sensitive(self) -> list[str]:
        """The columns whose values may have requirements: sensitive ones, then `sensitive_quasi`."""
        return [*self.sensitive, *self.sensitive_quasi]

    @property
    def unchanged(self) -> list[str]:
        """The columns whose own cells are published, at most recoded: sensitive ones, weights and others."""
        return self.named("sensitive", "weight", "other")

    @property
    def weight(self) -> str | None:
        """The column of sampling weights, or None."""
        return next(iter(self.named("weight")), None)

    @property
    def perturbed(self) -> list[str]:
        """The columns whose values are changed by chance before they are published, in the policy's order."""
        return [name for name, column in self.columns.items() if column.perturb is not None]

    @property
    def person(self) -> str | None:
        """The column that shows which rows belong to one person, or None."""
        return next(iter(self.named("person")), None)

    def diversity_of(self, name: str) -> Diversity | None:
        """Return the diversity required of a column: its own, or if it is sensitive that of the whole policy.

        Parameters
        ----------
        name : str
            A sensitive column or a quasi-identifier.

        Returns
        -------
        Diversity or None
            None if none is required.
        """
        return self.columns[name].diversity or (self.diversity if self.columns[name].role == "sensitive" else None)

    def closeness_of(self, name: str) -> Closeness | None:
        """Return the closeness required of a column: its own, or if it is sensitive that of the whole policy.

        Parameters
        ----------
        name : str
            A sensitive column or a quasi-identifier.

        Returns
        -------
        Closeness or None
            None if none is required.
        """
        return self.columns[name].closeness or (self.closeness if self.columns[name].role == "sensitive" else None)

    def disclosure_of(self, name: str) -> Disclosure | None:
        """Return the limits on the values of a column: its own, or if it is sensitive those of the whole policy.

        Parameters
        ----------
        name : str
            A sensitive column or a quasi-identifier.

        Returns
        -------
        Disclosure or None
            None if none is required.
        """
        return self.columns[name].disclosure or (self.disclosure if self.columns[name].role == "sensitive" else None)

    def has_requirement(self, name: str) -> bool:
        """Return whether diversity, closeness or disclosure is required of a column.

        Parameters
        ----------
        name : str
            A sensitive column or a quasi-identifier.

        Returns
        -------
        bool
            False if groups may have any values of the column.
        """
        return any((self.diversity_of(name), self.closeness_of(name), self.disclosure_of(name)))

    def distance_of(self, name: str) -> GroundDistance:
        """Return the distance by which t-closeness of a column is measured, judging by the policy only.

        Parameters
        ----------
        name : str
            A sensitive column or a quasi-identifier.

        Returns
        -------
        {"equal", "ordered", "hierarchical"}
            The distance in the policy; otherwise ordered for numbers, dates, bins and orders, and equal for others.
        """
        asked = self.closeness_of(name)
        if asked is not None and asked.distance != "auto":
            return asked.distance
        return "ordered" if asked is not None and self.columns[name].has_order else "equal"

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        roles: tuple[Role, ...] = ("person", "weight")
        for role in roles:
            found = self.named(role)
            if len(found) > 1:
                raise misplaced(
                    ("columns", found[1]), f"only one column can be the {role}; {found[0]!r} is one already"
                )
        for name, keys in self.keys.items():
            for one in keys.columns if self.columns else ():
                if one not in self.columns or self.columns[one].role != "quasi":
                    raise misplaced(("keys", name), f"{one!r} is not a quasi-identifier")
                if self.columns[one].kind == "place" or self.columns[one].longitude:
                    raise misplaced(
                        ("keys", name), f"{one!r} is one of a pair of coordinates, which no key set can have"
                    )
        for name, column in self.columns.items():
            other = self.columns.get(column.longitude) if column.longitude is not None else None
            if column.longitude is not None and (other is None or other.role != column.role or other.longitude):
                raise misplaced(
                    ("columns", name, "longitude"),
                    f"{column.longitude!r} is not a column of longitudes with the same role",
                )
        self._sets_are_sound()
        self._perturbed_columns_fit()
        if self.sequence is not None and self.columns:
            self._link_is_a_person(self.sequence.link)
        for asked in ("diversity", "closeness", "disclosure"):
            if getattr(self, asked) and self.columns and not self.sensitive:
                raise misplaced((asked,), "no column has the role sensitive")
        return self

    def _sets_are_sound(self) -> None:
        """Raise an error for two sets that others may know, for an m without one, and for l or t of a set."""
        known = [name for name, column in self.columns.items() if column.is_set]
        if len(known) > 1:
            raise misplaced(
                ("columns", known[1]),
                f"only one quasi-identifier can be a set; {known[0]!r} is one already: put all items into one column",
            )
        if self.m is not None and self.columns and not known:
            raise misplaced(("m",), 'no quasi-identifier has kind = "set"')
        for name in self.sensitive:
            if self.columns[name].kind == "set" and self.has_requirement(name):
                raise misplaced(("columns", name), NOT_OF_SETS)

    def _perturbed_columns_fit(self) -> None:
        """Raise an error if something is required of a perturbed column, or its settings contradict others."""
        for name in self.perturbed:
            asked, place = self.columns[name].perturb, ("columns", name, "perturb")
            assert asked is not None
            if self.columns[name].role == "sensitive" and self.has_requirement(name):
                raise misplaced(
                    place,
                    "diversity, closeness and disclosure count true values, which a perturbed column does not hold; "
                    'require them of single columns, or give this one role = "other"',
                )
            if asked.within is not None:
                other = self.columns.get(asked.within)
                if other is None or other.role in ("identifier", "person") or other.perturb is not None:
                    raise misplaced(
                        (*place, "within"), f"{asked.within!r} is not another column that is published unperturbed"
                    )
            together = [self.columns[one].perturb for one in self.perturbed]
            spreads = {one.spread for one in together if one is not None and one.group == asked.group}
            if asked.group is not None and len(spreads) > 1:
                raise misplaced((*place, "spread"), "the columns of a group need the same spread")

    def _link_is_a_person(self, link: str) -> None:
        """Raise an error unless the link identifies people and is not published."""
        if link not in self.named("identifier", "person"):
            raise misplaced(
                ("sequence", "link"), f"{link!r} must be a column with the role identifier or person, and is not"
            )
        if self.person not in (None, link):
            raise misplaced(("sequence", "link"), f"it must be {self.person!r}, the column of the person")


def known_keys(keys: Sequence[str]) -> list[str]:
    """Return the names of the settings that exist in the part of a policy that the path `keys` leads to."""
    parts: dict[str, type[BaseModel]] = {
        "diversity": Diversity,
        "closeness": Closeness,
        "disclosure": Disclosure,
        "dossier": Dossier,
        "metadata": Metadata,
        "sequence": Following,
        "source": Source,
        "hierarchy": Hierarchy,
        "number": NumberFormat,
        "map": Map,
        "perturb": Perturbation,
    }
    if not keys:
        return sorted(Settings.model_fields)
    if keys[0] == "columns" and len(keys) == 2:
        return sorted(Column.model_fields)
    if keys[0] == "keys" and len(keys) == 2:
        return sorted(KeySet.model_fields)
    return sorted(parts[keys[-1]].model_fields)
