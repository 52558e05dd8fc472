"""A fault at any step of writing leaves the old release whole, or the new one, and nothing raw in sight."""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.tables import disk
from tests.faults.plan import CANNOT, FAULTS, Scenario, open_to_others
from tests.faults.scenarios import scenarios

APART = 5
"""Steps from one fault of the long test to the next."""


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Scenario]]:
    before = os.umask(0)  # nothing may lean on it
    yield scenarios(tmp_path_factory.mktemp("faults"))
    os.umask(before)


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Path]:
    """Where releases are written: in memory where that can be, for thousands of files come and go."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        yield tmp_path / "here"
        return
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield Path(folder) / "here"


@pytest.mark.parametrize("cannot", CANNOT)
def test_nothing_raw_can_be_read_by_others_at_any_step(known: dict[str, Scenario], here: Path, cannot: str) -> None:
    def closed() -> None:
        assert not open_to_others(here)

    shim = known["demo"].steps(here, cannot, before_each=closed)
    assert shim.count > 100
    assert set(disk.STEPS) == set(shim.seen)


@pytest.mark.parametrize("faults", [("kill",), ("EIO",), ("ENOSPC", "EACCES", "short", "EROFS")])
def test_a_fault_at_any_step_leaves_the_old_release_or_the_new_one(
    known: dict[str, Scenario], here: Path, faults: tuple[str, ...]
) -> None:
    one = known["anonymize"]
    steps = range(1, one.steps(here).count + 1)
    ends = Counter(one.after(here, faults[at % len(faults)], at) for at in steps)
    assert len(steps) > 100
    assert ends["killed, recovered" if faults == ("kill",) else "refused"] > 1


def test_a_fault_at_any_step_of_writing_a_workbook_leaves_the_old_release_or_the_new_one(
    known: dict[str, Scenario], here: Path
) -> None:
    one = known["workbook"]
    faults = ("kill", "EIO", "ENOSPC")
    ends = Counter(one.after(here, faults[at % 3], at) for at in range(1, one.steps(here).count + 1, 2))
    assert ends.total() > 30


@pytest.mark.parametrize("cannot", ["exchange", "move either"])
def test_a_kill_in_the_middle_of_the_change_where_folders_cannot_be_exchanged(
    known: dict[str, Scenario], here: Path, cannot: str
) -> None:
    one = known["anonymize"]
    clean = one.steps(here, cannot)
    ends = Counter(one.after(here, "kill", at, cannot) for at in range(clean.decided, clean.count + 1, 2))
    assert ends["killed, recovered"] > 1


@pytest.mark.deep
@pytest.mark.parametrize("name", ["anonymize", "first", "apply", "workbook", "demo"])
@pytest.mark.parametrize("cannot", CANNOT)
@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_at_the_steps_of_every_command(
    known: dict[str, Scenario], here: Path, name: str, cannot: str, fault: str
) -> None:
    """Every fifth step, other ones for each fault; `make faults` tries all of them with every fault."""
    one = known[name]
    for at in range(1 + list(FAULTS).index(fault) % APART, one.steps(here, cannot).count + 1, APART):
        one.after(here, fault, at, cannot)
