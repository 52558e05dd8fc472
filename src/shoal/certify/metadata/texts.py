"""The files that describe a release for catalogs and archives, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from shoal.certify.files import METADATA
from shoal.certify.metadata.croissant import croissant
from shoal.certify.metadata.dcat import dcat_ap, health_dcat_ap
from shoal.certify.metadata.ddi import ddi
from shoal.policy.metadata import Metadata

_WRITERS: dict[str, Callable[[Mapping[str, Any], Metadata], str]] = {
    "croissant": croissant,
    "dcat-ap": dcat_ap,
    "health-dcat-ap": health_dcat_ap,
    "ddi": ddi,
}


def metadata_files(package: Mapping[str, Any], stated: Metadata | None) -> dict[str, str]:
    """Return the content of every file that the policy asks for; `package` is the data package of the release."""
    return {} if stated is None else {METADATA[name]: _WRITERS[name](package, stated) for name in stated.formats}
