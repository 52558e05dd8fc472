"""Tables and releases that the worker keeps, so that they are not read or made again for every job."""

from __future__ import annotations

import json
from collections import OrderedDict
from typing import Any

from shoal import api
from shoal.policy import Policy

MOST_TABLES, MOST_RELEASES = 3, 4
"""How many are kept, those used last. A table takes as much memory as its file; a release, a few times that."""
_tables: OrderedDict[str, Any] = OrderedDict()
_releases: OrderedDict[str, Any] = OrderedDict()


def table_of(asked: dict[str, Any]) -> Any:
    """Return the table of a job: `path`, read as `reading` says."""
    key = json.dumps([asked["path"], asked["reading"]], sort_keys=True)
    if key not in _tables:
        _tables[key] = api.read_table(asked["path"], **asked["reading"])
    return _remembered(_tables, key, MOST_TABLES)


def release_of(asked: dict[str, Any]) -> Any:
    """Return the release of a job, with the same secret as before if it was made before and is no longer kept."""
    key = asked["run"]
    if key not in _releases:
        from dataclasses import replace

        policy = Policy.parse(asked["policy"])
        made = api.anonymize(table_of(asked), policy, secret=asked.get("secret"))
        _releases[key] = replace(made, source=asked["name"])
    return _remembered(_releases, key, MOST_RELEASES)


def _remembered(kept: OrderedDict[str, Any], key: str, most: int) -> Any:
    kept.move_to_end(key)
    while len(kept) > most:
        kept.popitem(last=False)
    return kept[key]
