"""How numbers are written in a column: decimal sign, thousands separator, unit or currency."""

from __future__ import annotations

import re
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

AROUND = re.compile(r"[^\W\d_]*(?:[ .%‰°€$£¥₹₽₴₺₪₫₩฿₱₦₵₸₾₼円元원万²³µ/·\u00a0\u202f]|[^\W\d_])*")
"""What may stand before or after a number: letters, blanks, and the characters of units and currencies."""


class NumberFormat(BaseModel):
    """How the numbers of a column are written; published numbers are written in the same way.

    Parameters
    ----------
    decimal : {".", ","}, default "."
        The decimal sign.
    thousands : {"", ".", ",", " ", "'"}, default ""
        The separator between groups of three digits. A blank also stands for a non-breaking one.
    lakhs : bool, default False
        Whether groups above the thousands have two digits, as in India: 12,34,567.
    prefix : str, default ""
        The text before every number, such as ``"€ "``.
    suffix : str, default ""
        The text after every number, such as ``" kg"`` or ``" %"``.
    decimals : int, default 0
        The fewest decimals that are written.

    Examples
    --------
    >>> import shoal
    >>> shoal.Column(role="quasi", number={"decimal": ",", "suffix": " kg"}).number
    NumberFormat(decimal=',', suffix=' kg')
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    decimal: Literal[".", ","] = "."
    thousands: Literal["", ".", ",", " ", "'"] = ""
    lakhs: bool = False
    prefix: Annotated[str, Field(max_length=12)] = ""
    suffix: Annotated[str, Field(max_length=12)] = ""
    decimals: Annotated[int, Field(ge=0, le=12)] = 0

    def __repr_args__(self) -> list[tuple[str | None, object]]:
        return [(name, getattr(self, name)) for name in type(self).model_fields if name in self.model_fields_set]

    @property
    def between_ends(self) -> str:
        """The text between the ends of a range; it has a semicolon if numbers contain commas.

        Returns
        -------
        str
            ``", "`` or ``"; "``.
        """
        return "; " if "," in (self.decimal, self.thousands) else ", "

    @model_validator(mode="after")
    def _can_be_read(self) -> Self:
        """Raise an error for a format in which a number could be read in two ways, or not at all."""
        if self.decimal == self.thousands:
            raise ValueError("decimal and thousands of a number must differ")
        if self.lakhs and not self.thousands:
            raise ValueError('lakhs = true needs thousands, such as thousands = ","')
        if not AROUND.fullmatch(self.prefix) or not AROUND.fullmatch(self.suffix):
            raise ValueError("prefix and suffix of a number are units or currencies, such as kg, % or EUR")
        return self


DECIMAL_COMMA = NumberFormat(decimal=",")
"""How numbers of a file with decimal commas are written."""
