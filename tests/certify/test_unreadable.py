"""A release that cannot be looked at, because the disk fails or a folder is closed, is told in a sentence."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

import shoal
from shoal.errors import ShoalError
from shoal.sequence.history import read_history
from tests.api.test_rules import policy, visits


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("unreadable") / "out"
    shoal.anonymize(visits(24), policy()).write(place)
    return place


@contextmanager
def no_status(below: Path, number: int) -> Iterator[None]:
    """Nothing below a folder can be asked for its status; as root, only so can it be had."""
    real = os.stat

    def stat(path: Any, **options: Any) -> os.stat_result:
        if isinstance(path, str | Path) and Path(path).is_relative_to(below):
            raise OSError(number, os.strerror(number), str(path))
        return real(path, **options)

    with patch.object(os, "stat", stat):
        yield


@pytest.mark.parametrize("number", [errno.EACCES, errno.EIO])
@pytest.mark.parametrize("name", ["", "release.csv"])
def test_a_release_in_a_closed_folder_is_told_in_a_sentence(out: Path, number: int, name: str) -> None:
    holds = False
    with no_status(out.parent, number), suppress(ShoalError):
        holds = shoal.verify(out / name).holds
    assert not holds


@pytest.mark.parametrize("number", [errno.EACCES, errno.EIO])
def test_a_certificate_that_cannot_be_looked_at_is_not_taken_for_none(out: Path, tmp_path: Path, number: int) -> None:
    """Else only one's own policy would be counted, and nothing of what the certificate's folder must be."""
    shutil.copytree(out, tmp_path / "out")
    (tmp_path / "out" / "notes.txt").write_text("names", encoding="utf-8")
    assert not shoal.verify(tmp_path / "out" / "release.csv", policy()).holds
    with no_status(tmp_path / "out" / "certificate.json", number):
        assert not shoal.verify(tmp_path / "out" / "release.csv", policy()).holds


@pytest.mark.parametrize("number", [errno.EACCES, errno.EIO])
def test_other_commands_on_a_closed_folder_say_so_in_a_sentence(out: Path, number: int) -> None:
    calls: list[Callable[[], object]] = [
        lambda: shoal.attack(visits(24), out / "release.csv"),
        lambda: read_history(out.with_name("out.private")),
        lambda: shoal.profile(out / "release.csv"),
    ]
    for call in calls:
        with no_status(out.parent, number), pytest.raises(ShoalError, match="read"):
            call()
