"""A pytest plugin that tries mutants one after another in one process: a start of pytest for each would take hours.

All tests run once as they are, to learn which of them run which lines and how long each takes. Then, for each mutant,
the tests that run a line it changes go until one fails, the quickest first. A mutant that leaves something broken
behind would make all later ones look killed: after every batch the tests that failed run again with no mutant. Where
one still fails, or the process dies (compiled code may write anywhere), nothing of the batch is believed, and
scripts/mutants.py starts another process with the same mutants, one by one. Exit codes go to mutmut's own .meta
files. Where `MUTANTS_SECONDS` is set, a mutant is tried by tests of about so many seconds; what others would have
killed then counts as a survivor.
"""

from __future__ import annotations

import functools
import gc
import importlib
import json
import os
import re
import signal
import time
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import Phase, settings

from tests.mutation import reach, switch

KILLED, SURVIVED, TIMEOUT, NOT_REACHED = 1, 0, 36, 33
BROKEN = 86
"""The exit code of a process that a mutant has spoiled."""
SUSPECTS = Path("suspects")
"""Names the mutants that are being tried, under whether one of them stands alone in a fresh process."""
BATCH = 25
"""So many mutants are tried before the tests that failed run again without any."""

switch.install()


class Endless(BaseException):
    """A test takes many times as long as it does without a mutant."""


def _stop(_number: int, _frame: object) -> None:
    raise Endless


class Results:
    """The fate of every mutant, as mutmut keeps it."""

    def __init__(self, packages: list[str]) -> None:
        files = [file for package in packages for file in sorted(Path("src/shoal", package).rglob("*.meta"))]
        self.metas = {file: json.loads(file.read_text(encoding="utf-8")) for file in files}
        self.file = {name: file for file, meta in self.metas.items() for name in meta["exit_code_by_key"]}
        self.changed: set[Path] = set()
        self.saved = time.monotonic()

    def code(self, name: str) -> int | None:
        found: int | None = self.metas[self.file[name]]["exit_code_by_key"][name]
        return found

    def put(self, name: str, code: int) -> None:
        self.metas[self.file[name]]["exit_code_by_key"][name] = code
        self.changed.add(self.file[name])
        if time.monotonic() - self.saved > 5:
            self.save()

    def save(self) -> None:
        for file in self.changed:
            file.write_text(json.dumps(self.metas[file], indent=4), encoding="utf-8")
        self.changed.clear()
        self.saved = time.monotonic()


class Tests:
    """The tests by what they run, and in the order in which they are tried."""

    def __init__(self, session: pytest.Session, files: list[Path]) -> None:
        found = reach.Kept()
        lines = reach.Lines(files)
        for item in session.items:
            if found.get(item.path, item.nodeid) is None:
                on_cluster = "spark" in item.fixturenames  # which works in other processes
                clock = time.monotonic if on_cluster else time.process_time
                begun, others = clock(), os.times().children_user
                lines.start()
                fate, seen = passes(item, 600, told=True), lines.stop()
                if fate != SURVIVED:
                    print(f"left out, for it fails alone: {item.nodeid}", flush=True)
                    seen = {}
                elif os.times().children_user - others > 0.2:  # where no mutant is in force
                    print(f"left out, for it works in another process: {item.nodeid}", flush=True)
                    seen = {}
                elif clock() - begun > 1:  # it may have compiled something, or started a cluster
                    begun = clock()
                    passes(item, 600)
                found.put(item.path, item.nodeid, seen, clock() - begun)
        found.save()
        learned = {item: found.get(item.path, item.nodeid) or {} for item in session.items}
        self.seconds = {item: one["seconds"] for item, one in learned.items()}
        self.lines = {item: one["lines"] for item, one in learned.items()}
        self._turn: dict[str, list[pytest.Item]] = {}
        self._by_line: dict[tuple[str, int], set[pytest.Item]] = defaultdict(set)
        for item, by_file in self.lines.items():
            for file, numbers in by_file.items():
                for number in numbers:
                    self._by_line[file, number].add(item)

    def of(self, file: str, name: str) -> list[pytest.Item]:
        """Those that run what a mutant changes: what killed a mutant of its function last, then the quickest."""
        function = name.rpartition("__mutmut_")[0]
        items = set().union(*(self._by_line[file, line] for line in reach.lines_of(file, name)))
        turn = self._turn.setdefault(function, [])
        turn.extend(self._in_turn(items - set(turn), file))
        return [item for item in turn if item in items]

    def _in_turn(self, items: set[pytest.Item], file: str) -> list[pytest.Item]:
        """Tests of little else than this file first, then quick ones; one case of every test before any second."""
        cases: dict[str, int] = defaultdict(int)
        place: dict[pytest.Item, tuple[int, int, float]] = {}
        for item in sorted(items, key=self.seconds.__getitem__):
            test = item.nodeid.partition("[")[0]
            share = len(self.lines[item][file]) / sum(map(len, self.lines[item].values()))
            place[item] = (-round(5 * share), cases[test] if self.seconds[item] < 0.3 else 1000, self.seconds[item])
            cases[test] += 1
        return sorted(items, key=place.__getitem__)

    def killed_by(self, name: str, item: pytest.Item) -> None:
        turn = self._turn[name.rpartition("__mutmut_")[0]]
        turn.remove(item)
        turn.insert(0, item)  # it may well kill the next mutant of this function


def passes(item: pytest.Item, limit: float, told: bool = False) -> int:
    """0 where a test passes, else how it ended, after `limit` seconds of work at most; `told` prints a failure."""
    signal.signal(signal.SIGPROF, _stop)
    signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_PROF, limit)
    signal.setitimer(signal.ITIMER_REAL, 20 * limit)  # for what waits and does not work
    after = SimpleNamespace(listchain=lambda: [item.session]) if "spark" in item.fixturenames else None
    try:  # a cluster stays up, for it holds nothing of a mutant; all else is made anew for every test
        reports = runtestprotocol(item, log=False, nextitem=after)  # type: ignore[arg-type]
    except Endless:
        return TIMEOUT
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
    if not any(report.failed for report in reports):
        return SURVIVED
    if told:
        print(*(report.longrepr for report in reports if report.failed), sep="\n", flush=True)
    return TIMEOUT if any("Endless" in str(report.longrepr) for report in reports if report.failed) else KILLED


def pytest_sessionstart() -> None:
    """A failing example is not made smaller: that it fails is enough."""
    kinds = (Phase.explicit, Phase.generate)
    settings.register_profile("mutants", settings.get_profile("quick"), phases=kinds, report_multiple_bugs=False)
    settings.load_profile("mutants")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    results = Results(os.environ["MUTANTS_PACKAGES"].split())
    wanted = re.compile(os.environ.get("MUTANTS_ONLY", ""))
    budget = float(os.environ.get("MUTANTS_SECONDS", "inf"))
    tests = Tests(session, [file.with_suffix("") for file in results.metas])
    for file in results.metas:  # some modules are imported late, or by no test
        importlib.import_module(".".join(file.with_suffix("").with_suffix("").parts[1:]).removesuffix(".__init__"))
    mutants = switch.Switch()
    alone, *suspects = SUSPECTS.read_text(encoding="utf-8").split() if SUSPECTS.exists() else ["batch"]
    if alone == "alone" and suspects[0] in results.file:
        results.put(suspects.pop(), KILLED)  # it spoiled or ended a process of its own
    explained = set(Path("explained").read_text(encoding="utf-8").split())
    work = [name for name in results.file if wanted.match(name) and results.code(name) not in (KILLED, TIMEOUT)]
    work = [name for name in work if name not in explained]
    if os.environ.get("MUTANTS_UNTRIED"):
        work = [name for name in work if results.code(name) is None]
    work.sort(key=lambda name: (name not in suspects, results.code(name) is not None))

    def tried(name: str, items: list[pytest.Item]) -> tuple[int, pytest.Item | None]:
        """The fate of a mutant, and the test that failed."""
        code, spent = (SURVIVED if items else NOT_REACHED), 0.0
        for one in caches:
            one.cache_clear()
        mutants.on(name)
        for item in items:
            if spent > budget or tests.seconds[item] > budget:
                break
            spent += tests.seconds[item]
            code = passes(item, 5 + 10 * tests.seconds[item])
            if code != SURVIVED:
                tests.killed_by(name, item)
                break
        mutants.off()
        for one in caches:
            one.cache_clear()
        return code, (item if items and code != SURVIVED else None)

    caches = [one for one in gc.get_objects() if isinstance(one, functools._lru_cache_wrapper)]
    caches = [one for one in caches if (one.__module__ or "").startswith("shoal")]
    gc.freeze()
    print(f"{len(work)} mutants to try by {len(session.items)} tests", flush=True)
    start = 0
    while start < len(work):
        batch = work[start : start + (1 if work[start] in suspects else BATCH)]
        alone = "alone" if start == 0 and len(batch) == 1 else "batch"
        SUSPECTS.write_text("\n".join([alone, *batch]), encoding="utf-8")
        fates = {name: tried(name, tests.of(str(results.file[name].with_suffix("")), name)) for name in batch}
        last = {item for _, item in fates.values() if item is not None}
        whole = all(passes(item, 300, told=True) == SURVIVED for item in last)
        if whole:
            for name, (code, _) in fates.items():
                if code != NOT_REACHED or results.code(name) != SURVIVED:  # other tests may have reached it
                    results.put(name, code)
        start += len(batch)
        if start % (4 * BATCH) == 0:
            print(f"{start} of {len(work)}", flush=True)
        if not whole:
            results.save()
            print(f"begun afresh after {batch[-1]}", flush=True)
            os._exit(BROKEN)
    results.save()
    SUSPECTS.unlink(missing_ok=True)
    return True
