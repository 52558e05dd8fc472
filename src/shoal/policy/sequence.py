"""What several releases of one changing table keep, so that together they have the guarantee of each."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from shoal.policy.setting_types import Part


class Following(Part):
    """What is kept from one release of a changing table to the next, so that together they keep the guarantee."""

    link: str
    """The column that identifies the person of a row in every release: an identifier, or the person; one row per
    person.
    """
    keep: Literal["groups", "values"] = "groups"
    """"groups": people published together stay together; "values": the set of values around a person stays."""
    reserve: Annotated[int, Field(ge=0)] = 0
    """For groups: how many people beyond k every new group has, so that some may leave."""
    departures: Literal["covered", "open"] = "covered"
    """For groups: "covered": k or more people of a group disappear at once; "open": people disappear as they
    leave.
    """
    counterfeits: bool = False
    """For values: whether made-up rows may take the place of people who left."""

    @model_validator(mode="after")
    def _fits_keep(self) -> Self:
        if self.keep == "values" and (self.reserve or self.departures != "covered"):
            raise ValueError('reserve and departures belong to keep = "groups"')
        if self.keep == "groups" and self.counterfeits:
            raise ValueError('counterfeits belong to keep = "values": a made-up row hides nobody\'s company')
        return self
