"""The section `keys` of a policy: sets of quasi-identifiers that somebody knows, each with its own k."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from shoal.policy.setting_types import Part


class KeySet(Part):
    """Some of the quasi-identifiers that one kind of attacker knows, and how many people must share them."""

    columns: Annotated[tuple[str, ...], Field(min_length=1)]
    """The quasi-identifiers."""
    k: Annotated[int, Field(ge=2)]
    """The fewest people who share a published combination of these columns."""

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        if len(set(self.columns)) < len(self.columns):
            raise ValueError("a key set names a column twice")
        return self
