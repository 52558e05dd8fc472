"""Every reader over its corpus and inputs near it; `make fuzz` goes on, guided by coverage."""

from __future__ import annotations

import warnings
from itertools import islice
from random import Random

import pytest

from tests.fuzz import targets
from tests.fuzz.mutations import mutations


@pytest.mark.parametrize("name", targets.NAMES)
def test_the_corpus_has_inputs_that_are_read_and_inputs_that_are_not(name: str) -> None:
    read = [targets.run(name, data) for data in targets.seeds(name)]
    assert sum(read) >= len(read) / 2, "a corpus without sound files says little"


def _near(name: str, n_inputs: int, seed: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of libraries, on files that they cannot read
        for data in islice(mutations(targets.seeds(name), Random(f"{name} {seed}")), n_inputs):
            try:
                targets.run(name, data)
            except targets.FoundError as found:
                raise AssertionError(f"{found}\n{data!r}") from found


@pytest.mark.parametrize("name", targets.NAMES)
def test_what_is_near_is_read_or_refused_in_a_sentence(name: str) -> None:
    _near(name, 2 if name in targets.SLOW else 100, seed=0)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(1, 3))
@pytest.mark.parametrize("name", targets.NAMES)
def test_what_is_near_is_read_or_refused_in_many_more_inputs(name: str, seed: int) -> None:
    _near(name, 50 if name in targets.SLOW else 2000, seed)


@pytest.mark.parametrize("escaping", [ValueError, RecursionError, MemoryError])
def test_what_escapes_is_seen(monkeypatch: pytest.MonkeyPatch, escaping: type[Exception]) -> None:
    def reader(data: bytes) -> None:
        raise escaping

    reader.__name__ = "legend"
    monkeypatch.setattr(targets, "_READERS", (reader,))
    with pytest.raises(targets.FoundError):
        targets.run("legend", b"{}")


def test_a_cell_in_a_message_is_seen() -> None:
    refused = targets.ShoalError("column a: the cell 2024-13-45T99 is no date.")
    with pytest.raises(targets.FoundError):
        targets._shows_no_cell(refused, b"a,b\n1,2024-13-45T99\n")
