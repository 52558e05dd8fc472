"""Settings for several releases of one changing table, so that all of them together keep the guarantee of each."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from shoal.policy.setting_types import Part


class Following(Part):
    """What is kept from one release of a changing table to the next, so that all together keep the guarantee."""

    link: str
    """The column that identifies the person of a row in every release, with the role identifier or person. Every
    person has one row.
    """
    keep: Literal["groups", "values"] = "groups"
    """"groups": people published together stay together; "values": the set of sensitive values in a person's group
    stays the same (m-invariance).
    """
    reserve: Annotated[int, Field(ge=0)] = 0
    """For groups: how many people more than k every new group has, so that some may leave later."""
    departures: Literal["covered", "open"] = "covered"
    """For groups: with "covered", people who leave a group disappear from the releases k or more at a time; with
    "open", they disappear as they leave.
    """
    counterfeits: bool = False
    """For values: whether made-up rows may replace people who left."""

    @model_validator(mode="after")
    def _fits_keep(self) -> Self:
        if self.keep == "values" and (self.reserve or self.departures != "covered"):
            raise ValueError('reserve and departures belong to keep = "groups"')
        if self.keep == "groups" and self.counterfeits:
            raise ValueError('counterfeits belong to keep = "values"')
        return self
