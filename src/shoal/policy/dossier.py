"""Statements for the dossier of a release that cannot be computed: purpose, recipients, who approved it."""

from __future__ import annotations

from datetime import date
from typing import Literal

from shoal.policy.setting_types import Part


class Dossier(Part):
    """Statements of the people responsible for a release; none of them is published.

    What is not given here is a line of the dossier to fill in by hand.
    """

    controller: str | None = None
    """Who is responsible for the data."""
    purpose: str | None = None
    """What the release is for."""
    recipients: str | None = None
    """Who gets it."""
    access: Literal["public", "controlled"] | None = None
    """Whether anybody can get it, or only those who agree to conditions."""
    conditions: str | None = None
    """What recipients agree to."""
    version: str | None = None
    """The version of the release."""
    thresholds: str | None = None
    """Why k, l and t are what they are."""
    decided: date | None = None
    """When the thresholds were decided, before the run."""
    accepted: str | None = None
    """Which residual risk was accepted, and why."""
    earlier: str | None = None
    """Earlier releases of the same people."""
    made_by: str | None = None
    approved_by: str | None = None
    review: date | None = None
    """When the release is to be reviewed."""
