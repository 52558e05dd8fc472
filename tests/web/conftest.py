"""One server for the tests of a process, because starting a worker takes seconds; and a browser beside another."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from shoal.web.open_table import OpenTable
from tests.web.browser import chromium, served
from tests.web.steward import Steward


@pytest.fixture(scope="session")
def steward(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Steward]:
    with Steward(tmp_path_factory.mktemp("serve") / "private") as one:
        yield one


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where a browser finds a server that runs as a process of its own."""
    with served(tmp_path_factory.mktemp("served") / "tmp") as (found, _process):
        yield found


SMALL = "name,age,sex,illness\n" + "".join(
    f"Person {row},{20 + row % 30},{'fm'[row % 2]},{('flu', 'cold', 'gout')[row % 3]}\n" for row in range(60)
)
"""Sixty people: enough for groups of five, and released within a second."""


@pytest.fixture
def small(steward: Steward) -> Iterator[OpenTable]:
    table = steward.opened(steward.upload("people.csv", SMALL.encode()))
    assert table.found is not None, table.job.error
    yield table
    if table.id in steward.desk.tables:
        steward.desk.close(table)
