"""What was written is read back before it takes its place: where that fails, the old release stays."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import shoal
from shoal.errors import ShoalError
from tests.api.test_rules import policy, visits
from tests.faults.readback import FORMATS, READ_FAULTS, ReadBack, Reads


@pytest.fixture(scope="module", params=FORMATS)
def one(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ReadBack:
    place = tmp_path_factory.mktemp("readback")
    first, later = (shoal.anonymize(visits(n), policy()) for n in (24, 28))
    return ReadBack.of(place, first, later, **FORMATS[request.param])


@pytest.mark.parametrize("fault", READ_FAULTS)
def test_a_fault_in_reading_back_leaves_the_old_release(one: ReadBack, tmp_path: Path, fault: str) -> None:
    assert {"open", "read", "list"} == set(one.steps(tmp_path / "here"))
    struck = one.struck(tmp_path / "here", fault)
    ends = Counter(one.after(tmp_path / "here", fault, at) for at in struck)
    assert ends["refused"] > 1


@pytest.mark.parametrize("fault", READ_FAULTS)
def test_a_fault_in_verifying_is_told_in_a_sentence(one: ReadBack, fault: str) -> None:
    out = one.old / "out"
    with Reads()() as clean:
        assert shoal.verify(out).holds
    for at in range(1, len(clean.seen) + 1):
        with Reads(fault, at)():
            try:
                holds = shoal.verify(out).holds
            except ShoalError:
                holds = False
        assert not holds or fault in ("short", "changed")
