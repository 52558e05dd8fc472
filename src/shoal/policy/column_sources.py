"""Where the hierarchy of a column and the neighborhood of its regions come from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from shoal.policy.setting_types import File, Part, Period, Positive


class Hierarchy(Part):
    """The source of a column's hierarchy: exactly one of file, widths, periods and prefix.

    Parameters
    ----------
    file : Path, optional
        A CSV file without a header: the first column has the values, each further column is one level up.
    widths : sequence of float, optional
        For numbers: intervals of these widths, each a multiple of the one before.
    periods : sequence of str, optional
        For dates: periods (day, week, month, quarter, year, decade), each one level up.
    prefix : bool, default False
        For codes: each level masks one more character from the right.
    cuts : sequence of int, optional
        For prefix: how many first characters name each larger unit; only these are levels.
    digits : int, optional
        For prefix: the number of digits of codes that were read as whole numbers and have lost leading zeros.
    areas : {"us-zip3"}, optional
        For prefix: codes are ZIP codes of the United States, whose first level has three digits, or 000 in the place
        of areas in which 20,000 people or fewer live.

    Examples
    --------
    >>> import shoal
    >>> shoal.Hierarchy(widths=[5, 10, 50])
    Hierarchy(widths=(5.0, 10.0, 50.0))
    """

    file: File | None = None
    """A CSV file without a header; the first column has the values, each further column is one level up."""
    widths: tuple[Positive, ...] | None = None
    """For numbers: intervals of these widths, one level each; each width is a multiple of the one before."""
    periods: tuple[Period, ...] | None = None
    """For dates: periods, one level each, from the shortest to the longest."""
    prefix: bool = False
    """For codes: each level masks one more character from the right."""
    cuts: tuple[Annotated[int, Field(ge=1, le=100)], ...] | None = None
    """For codes: how many first characters name each larger unit, such as 1 and 3 for ICD-10. Only these are levels,
    from the largest number to the smallest.
    """
    digits: Annotated[int, Field(ge=2, le=20)] | None = None
    """For codes read as whole numbers: how many digits they have, so that leading zeros are put back."""
    areas: Literal["us-zip3"] | None = None
    """For ZIP codes of the United States: level 1 has three digits (`101**`), level 2 two, level 3 one. Codes of
    areas in which 20,000 people or fewer live by the census of 2020, and all that are no such codes, are `000**`.
    """

    @model_validator(mode="before")
    @classmethod
    def _path_alone(cls, value: Any) -> Any:
        return {"file": value} if isinstance(value, str | Path) else value

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        given = [self.file is not None, self.widths is not None, self.periods is not None, self.prefix]
        if sum(given) != 1:
            raise ValueError("a hierarchy takes exactly one of file, widths, periods or prefix = true")
        if not self.prefix and (self.cuts is not None or self.digits is not None or self.areas is not None):
            raise ValueError("cuts, digits and areas belong to prefix = true")
        if self.areas is not None and self.cuts is not None:
            raise ValueError("areas and cuts do not go together: the areas say where codes are cut")
        if self.cuts is not None and (not self.cuts or list(self.cuts) != sorted(set(self.cuts))):
            raise ValueError("cuts must be increasing numbers of characters, such as [1, 3]")
        return self


class Map(Part):
    """Which regions are neighbors, given as exactly one of edges, gal and polygons."""

    edges: File | None = None
    """A CSV file with a header and two columns, one pair of neighbors per line; for a region without neighbors, the
    second cell is empty.
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
    """What to do with connected parts of the map that have fewer than k people: refuse them or, for polygons, join
    them to the nearest region.
    """

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if sum(source is not None for source in (self.edges, self.gal, self.polygons)) != 1:
            raise ValueError("a map takes exactly one of edges, gal or polygons")
        if self.polygons is None and (self.name is not None or self.islands == "join"):
            raise ValueError("name and islands belong to a map of polygons")
        return self
