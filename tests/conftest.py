"""Fixtures for all tests."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Generator, Iterator
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from shoal import secret
from tests import postgres_server
from tests import spark_cluster as clusters

if TYPE_CHECKING:
    from shoal.engines.spark.engine import SparkEngine

settings.register_profile(
    "quick",
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    database=None,
    derandomize=True,
)
settings.register_profile(
    "deep", max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None
)
settings.load_profile(os.environ.get("SHOAL_TESTS", "quick"))

if os.environ.get("SHOAL_TESTS", "quick") == "quick":
    # Every release draws another secret, but a test that fails by an unlucky one fails again when it is run again.

    def _secrets(place: str) -> Iterator[bytes]:
        return (hashlib.sha256(f"{place} {number}".encode()).digest() for number in count())

    _drawn = [_secrets("before all tests")]
    secret.secrets = SimpleNamespace(token_bytes=lambda _: next(_drawn[0]))  # type: ignore[assignment]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(item: pytest.Item) -> None:
        _drawn[0] = _secrets(item.path.name)


NO_DATA = "the reference data is not beside this checkout"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail a test that is skipped where CI=true, unless it needs the reference data: `make` installs the rest."""
    report = yield
    told = str(report.longrepr)
    if (
        report.skipped
        and not hasattr(report, "wasxfail")
        and os.environ.get("CI", "").lower() in ("1", "true")
        and NO_DATA not in told
    ):
        report.outcome, report.longrepr = "failed", f"skipped, and CI=true allows this for data only: {told}"
    return report


SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The reference data beside the checkout. It, a browser, PostgreSQL and Java are the only reasons to skip."""
    if not SHARED.is_dir():
        pytest.skip(NO_DATA)
    return SHARED


@pytest.fixture(scope="session")
def postgres() -> Iterator[postgres_server.Server]:
    """A real PostgreSQL server, started when the first test asks for it; `make test` installs it where it may."""
    if postgres_server.programs() is None and os.environ.get("CI", "").lower() not in ("1", "true"):
        pytest.skip("PostgreSQL is not installed")
    with postgres_server.server() as running:
        yield running


@pytest.fixture(scope="session")
def spark_cluster() -> Iterator[clusters.Cluster]:
    """A real Spark cluster of two workers, started when the first test asks for it; `make test` installs Java."""
    if clusters.java() is None and os.environ.get("CI", "").lower() not in ("1", "true"):
        pytest.skip("Java is not installed")
    with clusters.cluster() as running:
        yield running


@pytest.fixture(scope="session")
def spark(spark_cluster: clusters.Cluster) -> Iterator[SparkEngine]:
    """An engine on the cluster; a process can have one session only."""
    from shoal.engines.spark.engine import SparkEngine

    with SparkEngine.connect(spark_cluster.master) as engine:
        yield engine
