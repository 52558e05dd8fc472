"""A pytest plugin for mutmut: it reads `_nodeid`, which pytest 9 no longer has."""

from __future__ import annotations

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_itemcollected(item: pytest.Item) -> None:
    item._nodeid = item.nodeid  # type: ignore[attr-defined]
