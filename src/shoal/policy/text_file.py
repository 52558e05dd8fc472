"""The section `source` of a policy: how a file is read."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from shoal.policy.setting_types import Part


class Source(Part):
    """How to read a file; each setting overrides automatic detection."""

    separator: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    quote: Annotated[str, Field(max_length=1)] | None = None
    """The quote character; empty if cells are never quoted."""
    encoding: str | None = None
    decimal: Literal[".", ","] | None = None
    null_values: tuple[str, ...] = ()
    has_header: bool | None = None
    """Whether the first line has the column names; otherwise they are column_1, column_2 and so on."""
    sheet: str | None = None
    """The sheet of an .xlsx file that has several."""
