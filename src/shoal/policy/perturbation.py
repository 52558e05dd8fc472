"""Perturbation of a column that is published as it is: PRAM, rank swapping, or noise that keeps covariances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import Field, model_validator

from shoal.policy.setting_types import Part

if TYPE_CHECKING:
    from shoal.policy.column import Column

_OF = {"pram": ("keep", "within"), "rank-swap": ("window",), "noise": ("spread", "group", "decimals")}
"""The parameters of each method; the first one is required."""


class Perturbation(Part):
    """How the values of a column are changed by chance before they are published; missing cells stay missing.

    A perturbed column does not hold true values, so nothing can be required of it, and k says nothing about it.

    Parameters
    ----------
    method : {"pram", "rank-swap", "noise"}
        PRAM replaces cells by those of other rows, drawn by chance; rank swapping exchanges values of nearby ranks;
        noise adds random numbers and then restores means and covariances.
    keep : float, optional
        For pram, which needs it: the probability that a cell is kept. Otherwise it becomes the cell of a row that is
        drawn by chance, so that expected frequencies stay what they are.
    within : str, optional
        For pram: a column; rows are drawn among those with the same value in it.
    window : float, optional
        For rank-swap, which needs it: two values change places only if their ranks are at most this share of the rows
        apart.
    spread : float, optional
        For noise, which needs it: the standard deviation of the noise as a share of that of the column.
    group : str, optional
        For noise: columns with the same group also keep the covariances between them.
    decimals : int, optional
        For noise: the decimals that are published; without it about 12 digits, so that rounding moves nothing.

    Examples
    --------
    >>> from shoal.policy import Perturbation
    >>> Perturbation(method="pram", keep=0.9)
    Perturbation(method='pram', keep=0.9)
    """

    method: Literal["pram", "rank-swap", "noise"]
    keep: Annotated[float, Field(gt=0, lt=1)] | None = None
    within: str | None = None
    window: Annotated[float, Field(gt=0, le=0.5)] | None = None
    spread: Annotated[float, Field(gt=0, le=100)] | None = None
    group: Annotated[str, Field(min_length=1)] | None = None
    decimals: Annotated[int, Field(ge=0, le=12)] | None = None

    @model_validator(mode="after")
    def _fits_method(self) -> Self:
        needed, *_ = own = _OF[self.method]
        if getattr(self, needed) is None:
            raise ValueError(f'method = "{self.method}" needs {needed}')
        strange = [
            name for names in _OF.values() for name in names if name not in own and getattr(self, name) is not None
        ]
        if strange:
            raise ValueError(f'{strange[0]} does not belong to method = "{self.method}"')
        return self


def check_perturbation(column: Column) -> None:
    """Raise an error for a perturbation of a column that is not published as it is, or is not what it needs."""
    asked = column.perturb
    if asked is None:
        return
    if column.role not in ("sensitive", "other"):
        raise ValueError("perturb belongs to a sensitive column or one with the role other")
    if column.has_own_requirement or column.bins is not None:
        raise ValueError(
            "diversity, closeness, disclosure and bins count true values, which a perturbed column does not hold"
        )
    settings = (column.order, column.hierarchy, column.format, column.top, column.bottom, column.round, column.merge)
    if asked.method == "noise" and (column.kind not in (None, "number") or any(one is not None for one in settings)):
        raise ValueError("noise belongs to numbers that are not recoded otherwise")
