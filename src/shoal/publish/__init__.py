"""Turning groups of records into a table that may be released."""

from shoal.publish.assembly import assemble, publish
from shoal.publish.result import GroupColumn, Published, prices_of

__all__ = ["GroupColumn", "Published", "assemble", "prices_of", "publish"]
