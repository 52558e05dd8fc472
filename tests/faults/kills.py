"""Real processes that write releases, ended by `kill -9` at random moments, and what must be true afterward."""

from __future__ import annotations

import json
import os
import pickle
import random
import select
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import shoal
from shoal.errors import ShoalError
from shoal.tables import recover
from tests.api.test_rules import KINDS, policy, visits
from tests.faults.plan import CANNOT, Shim, Tree, check_told, of_others, open_to_others, prepare, tree, whole

ROOT = Path(__file__).parents[2]
PATIENCE = 120
"""Seconds after which a process that should write is taken to hang."""
THROUGH = "got through"
"""What is counted of a kill after which a promise does not hold."""


def kill_often(folder: Path, *, times: int, seed: int) -> Counter[str]:
    """Kill a process that writes two releases in turn so often; what the kills met.

    Each starts from one of the two releases, or from none, on one of the kinds of file systems.
    """
    chance, found = random.Random(seed), Counter[str]()
    with open_umask(), _Place(folder) as place, _Processes(place.pickled) as processes:
        for turn in range(times):
            cannot = CANNOT[turn % len(CANNOT)]
            old = chance.choice([*place.written, None])
            out = prepare(place.parent, old)
            others = tree(place.parent) if old is None else of_others(tree(place.parent))
            shim = Shim(out, cannot=cannot)
            kept = chance.random() < 0.7
            # the first of several writes, and all of them
            longest = 0.2 if old is None else 0.6
            processes.kill_one(out, cannot, kept=kept, after=chance.random() * longest)
            states = [others | one for one in place.states] + [others] * (old is None)
            write = place.write if chance.random() < 0.5 else None
            found[_met(lambda: examine(place.parent, states, shim, write))] += 1  # noqa: B023
    return found


def kill_commands(folder: Path, *, times: int, seed: int) -> Counter[str]:
    """Kill `shoal anonymize` so often, at a random moment after it began to write."""
    chance, found = random.Random(seed), Counter[str]()
    with open_umask(), _Place(folder) as place:
        call = place.command()
        place.run(call)
        ends = [tree(place.written[0]), tree(place.parent)]
        assert {"out/certificate.json", "out.private/secret.key"} <= ends[1].keys()
        for _ in range(times):
            out = prepare(place.parent, place.written[0])
            others = of_others(tree(place.parent))
            with subprocess.Popen(call, cwd=ROOT, stderr=subprocess.PIPE) as process:
                _wait(lambda: any(place.parent.glob(".out.shoal-*")) or process.poll() is not None)
                time.sleep(chance.random() * 0.15)
                process.kill()
                assert process.stderr is not None
                process.stderr.read()  # until its child, which holds the same pipe, has ended with it
            states = [others | end for end in ends]
            write = place.write if chance.random() < 0.5 else None
            found[_met(lambda: examine(place.parent, states, Shim(out), write, seen=without_times))] += 1  # noqa: B023
    return found


def _met(examined: Callable[[], str]) -> str:
    try:
        return examined()
    except (AssertionError, ShoalError, OSError):
        traceback.print_exc()
        return THROUGH


def without_times(found: Tree) -> Tree:
    """The report says how long each step took, and the private certificate has its digest (see `check_pair`)."""
    timed = ("out.private/report.html", "out.private/certificate.json")
    return {name: (held[0], b"") if name in timed else held for name, held in found.items()}


def examine(
    parent: Path,
    states: list[Tree],
    shim: Shim,
    write: Callable[[Path], Tree] | None,
    seen: Callable[[Tree], Tree] = dict,
) -> str:
    """Look at what a kill left, then let the next run (or, without one, `recover`) put it right; what was met.

    `states` are all that may be there in the end: every file with its bytes and mode, and nothing else.
    """
    out, states = shim.out, [seen(state) for state in states]
    assert not open_to_others(parent), f"{open_to_others(parent)} can be read by others"
    left = tree(parent)
    assert of_others(left) == of_others(states[0])
    decided = any(name.endswith("/journal.json") and name.startswith(".out.shoal-") for name in left)
    begun = any(name.startswith(".out.shoal-") and not name.endswith("lock") for name in left)
    met = (
        "in the middle of the change"
        if decided
        else "while a release was prepared or an old one removed"
        if begun
        else "where nothing was left over"
    )
    with shim():
        if whole(seen(left)) not in states:
            check_told(out)
            met = "in the middle of the change, one half of each"
        elif (out / "certificate.json").exists():
            check_pair(out)
        if write is None:
            assert recover(out) == decided
            assert seen(tree(parent)) in states, "neither of the two, or something is left"
        else:
            written = write(out)
            assert tree(parent) == of_others(left) | written
    if (out / "certificate.json").exists():
        check_pair(out)
    return met


def check_pair(out: Path) -> None:
    """The public half holds, and the private one is that of the same release."""
    findings = shoal.verify(out)
    assert findings.holds
    folder = out.with_name("out.private")
    private = shoal.Certificate.from_json((folder / "certificate.json").read_text(encoding="utf-8"))
    assert private.published_sha256 == findings.sha256, "halves of two releases"
    files = [path for path in folder.iterdir() if path.name != "certificate.json" and not path.name.startswith(".")]
    assert private.files == {path.name: sha256(path.read_bytes()).hexdigest() for path in files}


@contextmanager
def open_umask() -> Iterator[None]:
    """A umask that closes nothing: nothing may lean on it."""
    before = os.umask(0)
    try:
        yield
    finally:
        os.umask(before)


class _Place:
    """Two releases, pickled and written; a folder to write them to."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.parent = folder, folder / "here"
        self.releases = [shoal.anonymize(visits(n), policy()) for n in (24, 40)]
        self.pickled = folder / "releases.pickle"
        self.written = [folder / "first", folder / "later"]

    def __enter__(self) -> _Place:
        self.pickled.write_bytes(pickle.dumps(self.releases))
        for release, parent in zip(self.releases, self.written, strict=True):
            parent.mkdir()
            release.write(parent / "out")
        self.states = [tree(parent) for parent in self.written]
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.parent, ignore_errors=True)

    def write(self, out: Path) -> Tree:
        """The next run."""
        self.releases[1].write(out)
        return self.states[1]

    def command(self) -> list[str]:
        """`shoal anonymize` with a secret, so that it writes the same every time."""
        table, secret = self.folder / "visits.csv", self.folder / "secret.key"
        visits(40).write_csv(table)
        shutil.copy(self.written[0] / "out.private" / "secret.key", secret)
        roles = [part for name, role in KINDS.items() for part in (f"--{role}", name)]
        asked = ["--k", "4", "--seed", "11", "--secret", str(secret), "--publish-rare", "remark", *roles]
        return [
            sys.executable,
            "-m",
            "shoal",
            "anonymize",
            str(table),
            "--out",
            str(self.parent / "out"),
            "-q",
            *asked,
        ]

    def run(self, call: list[str]) -> None:
        self.parent.mkdir()
        subprocess.run(call, cwd=ROOT, check=True)


class _Processes:
    """Makes processes that write, and kills them (`tests/faults/killed.py`)."""

    def __init__(self, pickled: Path) -> None:
        self.call = [sys.executable, "-m", "tests.faults.killed", str(pickled)]

    def __enter__(self) -> _Processes:
        self.process: subprocess.Popen[Any] = subprocess.Popen(
            self.call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, bufsize=0
        )
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(PATIENCE)
        self.process.stdout.close()

    def kill_one(self, out: Path, cannot: str, *, kept: bool, after: float) -> None:
        """Let a process write there, and kill it after so many seconds."""
        assert self.process.stdin is not None
        asked = {"out": str(out), "cannot": cannot, "kept": kept}
        self.process.stdin.write(json.dumps(asked).encode() + b"\n")
        what, number = self._told().split()
        assert what == "writes"
        time.sleep(after)
        os.kill(int(number), signal.SIGKILL)
        assert self._told() == f"ended {-signal.SIGKILL}", "it ended before it was killed"

    def _told(self) -> str:
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
        assert ready, "a process that should write hangs"
        return str(self.process.stdout.readline().decode().strip())


def _wait(done: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < end, "the command does not begin to write"
        time.sleep(0.002)
