"""The section `metadata` of a policy: statements about the release for catalogs and archives, which are published."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from shoal.policy.setting_types import Part

MetadataFormat = Literal["croissant", "dcat-ap", "health-dcat-ap", "ddi"]


def _visible(text: str) -> str:
    if not text.strip() or not all(one.isprintable() or one == "\n" for one in text):
        raise ValueError("the text is empty, or has characters that cannot be seen")
    return text


def _address(text: str) -> str:
    if not text.startswith(("https://", "http://", "doi:", "urn:", "mailto:")) or any(
        one in text for one in ' <>"{}|\\^`'
    ):
        raise ValueError("this is no address; write it as https://...")
    return text


Words = Annotated[str, Field(max_length=10_000), AfterValidator(_visible)]
Address = Annotated[str, Field(max_length=2_000), AfterValidator(_visible), AfterValidator(_address)]


class Metadata(Part):
    """Which descriptions are written beside the release, and what people say in them. All of it is published.

    What is not given is marked in the files as to be filled in.
    """

    formats: tuple[MetadataFormat, ...] = ()
    """Which files are written: croissant.json, dcat-ap.jsonld, health-dcat-ap.jsonld, ddi.xml."""
    title: Words | None = None
    """By default a sentence with the k of the release."""
    description: Words | None = None
    """What the table is about; how it was anonymized is added."""
    creator: Words | None = None
    """Who collected the data."""
    publisher: Words | None = None
    """Who publishes the release."""
    contact: Annotated[str, Field(max_length=320, pattern=r"^[^@\s<>]+@[^@\s<>]+$")] | None = None
    """An e-mail address for questions."""
    license: Address | None = None
    """The address of the license."""
    access: Literal["public", "restricted", "non-public"] | None = None
    """Who can get the release."""
    url: Address | None = None
    """The address of a page on the release, or from which it can be had."""
    identifier: Words | None = None
    """An identifier of the release, such as a DOI."""
    version: Words | None = None
    issued: date | None = None
    """When the release is published."""
    language: Annotated[str, Field(pattern=r"^[a-z]{2}$")] | None = None
    """The language of the cells, as two letters: en, de."""
    keywords: tuple[Words, ...] = ()
    population: Words | None = None
    """Which people are in the table."""
    health_category: Address | None = None
    """For HealthDCAT-AP: the address of the category of health data."""
    legislation: Address | None = None
    """For HealthDCAT-AP: the address of the law under which the data are offered."""
