"""Requirements on the sensitive values of every group: diversity, closeness and disclosure."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from shoal.policy.setting_types import DiversityKind, GroundDistance, LikenessKind, Part, Positive


class Diversity(Part):
    """The requirement that every group has at least `l` well-represented values of a sensitive column.

    Parameters
    ----------
    l : float
        The number of values, at least 1; a whole number for the kinds distinct and recursive.
    kind : {"distinct", "frequency", "entropy", "recursive"}, default "distinct"
        The definition of well-represented.
    c : float, optional
        The constant of recursive (c, l)-diversity, required for that kind.
    count_missing : bool, default False
        Whether a missing value counts as a value. By default it does not, because people whose value is missing do
        not hide the value of another person in their group.

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
    distance : {"auto", "equal", "ordered", "hierarchical"}, default "auto"
        The distance between two values; "auto" is ordered for numbers, dates and columns with an order or bins, and
        equal for all others.

    Examples
    --------
    >>> import shoal
    >>> shoal.Closeness(t=0.2, distance="ordered")
    Closeness(t=0.2, distance='ordered')
    """

    t: Annotated[float, Field(ge=0, le=1)]
    distance: Literal["auto"] | GroundDistance = "auto"


class Disclosure(Part):
    """Limits on the share of every single sensitive value in a group, alone or compared with the whole release.

    Any of the three can be required, and several at once.

    Parameters
    ----------
    alpha : float, optional
        The largest share of a group's people who may have the same value, between 0 and 1: (alpha, k)-anonymity.
    values : sequence of str, optional
        For alpha: the values that are limited; without it all are.
    beta : float, optional
        By how many times its share in the whole release a value's share in a group may exceed it: beta-likeness.
    kind : {"basic", "enhanced"}, default "basic"
        For beta: with "enhanced", the limit for a value with the share q in the release is at most -ln(q).
    delta : float, optional
        Every value's share in every group differs from that in the release by a factor of less than 2 to the power
        of delta, so every group has every value: delta-disclosure privacy.

    Examples
    --------
    >>> import shoal
    >>> shoal.Disclosure(beta=1.5, kind="enhanced")
    Disclosure(beta=1.5, kind='enhanced')
    """

    alpha: Annotated[float, Field(gt=0, lt=1)] | None = None
    values: Annotated[tuple[str, ...], Field(min_length=1)] | None = None
    """For alpha: the values that are limited, as texts."""
    beta: Positive | None = None
    kind: LikenessKind = "basic"
    delta: Positive | None = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.alpha is None and self.beta is None and self.delta is None:
            raise ValueError("it needs alpha, beta or delta")
        if self.values is not None and self.alpha is None:
            raise ValueError("values belong to alpha")
        if self.values is not None and len(set(self.values)) != len(self.values):
            raise ValueError("values names a value twice")
        if self.kind == "enhanced" and self.beta is None:
            raise ValueError('kind = "enhanced" belongs to beta')
        return self
