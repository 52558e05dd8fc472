"""The base class of all parts of a policy, and the types of settings that several parts have."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from shoal.errors import is_text

Role = Literal["identifier", "quasi", "sensitive", "person", "weight", "other"]
Kind = Literal["number", "ordered", "label", "hierarchy", "date", "place", "region", "set"]
DiversityKind = Literal["distinct", "frequency", "entropy", "recursive"]
GroundDistance = Literal["equal", "ordered", "hierarchical"]
LikenessKind = Literal["basic", "enhanced"]
CellLoss = Literal["ncp", "information", "levels", "entropy"]
Publication = Literal["auto", "generalize", "aggregate", "centers", "suppress"]
Synthetic = Literal["marginals", "copula"]
Period = Literal["day", "week", "month", "quarter", "year", "decade"]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]


def _in_limits(weight: float) -> float:
    if not 1e-100 <= weight <= 1e100:  # products and squares stay far from both ends of the floating-point numbers
        raise ValueError("a weight is a number from 1e-100 to 1e100")
    return weight


Weight = Annotated[float, AfterValidator(_in_limits)]


def _one_line(path: Path) -> Path:
    if is_text(path):
        raise ValueError("a text was given, not the path of a file")
    return path


File = Annotated[Path, AfterValidator(_one_line)]


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """Return the fields that were set."""
        return [(name, value) for name, value in super().__repr_args__() if name in self.model_fields_set]
