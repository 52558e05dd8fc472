"""Turning groups of records into a table that may be released."""

from shoal.publish.assembly import assemble, group_columns, publish, set_losses
from shoal.publish.result import GroupColumn, Published, prices_of

__all__ = ["GroupColumn", "Published", "assemble", "group_columns", "prices_of", "publish", "set_losses"]
