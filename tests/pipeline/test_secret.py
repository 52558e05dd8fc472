"""The secret of a release: shown nowhere, read from every form of it, and nothing is drawn without it."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from shoal.errors import ParameterError
from shoal.secret import Secret, as_secret
from tests.fixed_secret import SECRET, secret


def test_draws_depend_on_key_seed_and_label() -> None:
    drawn = [
        one.stream(label, 4).tolist()
        for one in (SECRET, secret(1), Secret(bytes(32)), Secret(b"\x01" + bytes(31)))
        for label in ("rows", "classes", "")
    ]
    assert len({tuple(draw) for draw in drawn}) == len(drawn)
    assert SECRET.stream("rows", 4).tolist() == secret().stream("rows", 9)[:4].tolist()


def test_draws_are_the_same_on_every_machine() -> None:
    """The bytes that SHAKE-256 gives for the key, the seed in eight bytes and the label, first byte least."""
    assert [hex(number) for number in SECRET.stream("rows", 2).tolist()] == [
        "0x9ab6a55218ed28ef",
        "0x933c77e22095884c",
    ]
    assert SECRET.number("groups") == 5116195725883543301


def test_a_permutation_has_everything_once_and_no_order() -> None:
    found = SECRET.permutation("p", 5000)
    assert sorted(found.tolist()) == list(range(5000))
    assert abs(np.corrcoef(found, np.arange(5000))[0, 1]) < 0.06
    assert SECRET.permutation("p", 0).tolist() == []


def test_numbers_are_seeds() -> None:
    numbers = [secret(seed).number("groups") for seed in range(200)]
    assert all(0 <= number < 2**63 for number in numbers)
    assert max(numbers) > 2**62


def test_every_secret_is_another_one() -> None:
    """In a process of its own, where the tests' draws are not in the way."""
    code = "from shoal.secret import Secret; print(*(Secret.draw().hex() for _ in range(100)))"
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in "ab"]
    drawn = [text for run in runs for text in run.stdout.split()]
    assert len(set(drawn)) == 200
    assert {len(text) for text in drawn} == {64}


def test_it_shows_itself_to_nobody() -> None:
    shown = f"{SECRET!r} {SECRET} {[SECRET]} {secret(987)!r}"
    assert SECRET.hex() not in shown
    assert "0001" not in shown
    assert "987" not in shown
    assert pickle.loads(pickle.dumps(secret(3))) == secret(3)


def test_all_forms_of_a_secret_are_read(tmp_path: Path) -> None:
    file = tmp_path / "secret.key"
    file.write_text(SECRET.hex() + "\n")
    for form in (SECRET, SECRET.key, SECRET.hex(), SECRET.hex().encode(), SECRET.hex().upper(), file, str(file)):
        assert as_secret(form, seed=None) == SECRET
        assert as_secret(form, seed=5) == secret(5)
    assert Secret.from_hex(SECRET.hex()) == SECRET
    assert as_secret(None, seed=4).seed == 4


@pytest.mark.parametrize("wrong", [b"short", b"x" * 31, "00" * 31, "zz" * 32, 5, "no such file", b"", ["a"]])
def test_what_is_no_secret_is_refused_without_showing_it(wrong: object) -> None:
    with pytest.raises(ParameterError) as refused:
        as_secret(wrong, seed=0)  # type: ignore[arg-type]
    told = str(refused.value)
    assert "secret.key" in told
    assert "\n" in told or len(told) < 200
    for text in ("short", "xxx", "0000", "zzz", "no such file"):
        assert text not in told


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "long.key").write_text("0" * 65)
    for place in (tmp_path / "pipe", tmp_path, "/dev/zero", tmp_path / "long.key"):
        with pytest.raises(ParameterError):
            as_secret(place, seed=0)
