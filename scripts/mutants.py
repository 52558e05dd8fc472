"""Change the code that checks releases in thousands of small ways, and see that a test notices each of them.

mutmut makes the changes (mutants) in a copy of the tree under `mutants/`; tests/mutation/loop.py runs, for each, the
tests that reach it. A mutant that no test notices *survives*. Every survivor must have its reason in
tests/mutation/survivors.toml, by the change itself: a mutant that behaves like the original, or one that touches
nothing but the words of a message. Of `certify/` at least 95 in 100 must be killed. The counts go to
docs/evidence/mutants.json; mutants that were not run are counted as such, and never as killed.

`--package certify` runs one package, `--report` counts what earlier runs found. A run goes on where the last one
ended, on whatever machine that was: tests/mutation/fates.json holds what became of every mutant. What was killed
stays killed until its function changes (delete that file and `mutants/` to begin anew). A survivor that has its
reason is tried by the package's own tests alone: all others that reach it would take most of the time.

`--only REGEX` tries the mutants whose name matches, `--untried` those that no run has tried, and `--round first`
leaves the long rounds for later, when what is left has been killed or explained. `--tests FILE` tries what is left by
these tests alone, such as new ones, and `--seconds 3` gives each mutant less time than the rounds do.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT)]

from shoal import __version__  # noqa: E402
from tests.mutation import fates as kept  # noqa: E402
from tests.scratch import in_memory  # noqa: E402

PACKAGES = ("certify", "requirements", "publish")
LEAST = {"certify": 0.95}
FATES = {0: "survived", 5: "not reached", 33: "not reached", 34: "not run", None: "not run"}
"""What mutmut's exit codes mean, besides being killed."""
KILLED = (1, 3, -11, -9, 36, -24, 24, 152, 255)
"""A test failed or broke, the mutant crashed, or it ran on without end: each is noticed by anybody."""
ROUNDS = {"first": 1.0, "second": 40.0, "cluster": 40.0}
"""Seconds of tests for a mutant: first some of the package's own, then, for what is left, all that reach it. One that
later tests would have killed counts as a survivor. What runs on Spark is tried last, by the tests on a cluster."""
CLUSTER = "tests/certify/spark"
ON_CLUSTER = r"^shoal\.certify\.(spark|on_spark)\."
DEATHS = (signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGSEGV)
FATES_FILE = ROOT / "tests/mutation/fates.json"
BROKEN = 86
"""tests/mutation/loop.py ends so where a mutant has spoiled its process."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--package", choices=PACKAGES, action="append")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--untried", action="store_true")
    parser.add_argument("--round", choices=list(ROUNDS), action="append")
    parser.add_argument("--tests", nargs="+", default=[])
    parser.add_argument("--seconds", type=float)
    given = parser.parse_args()
    if given.seconds is not None:
        ROUNDS.update(dict.fromkeys(ROUNDS, given.seconds))
    if given.untried:
        os.environ["MUTANTS_UNTRIED"] = "yes"
    generate()
    packages, rounds = given.package or list(PACKAGES), given.round or list(ROUNDS)
    seconds = 0.0 if given.report else run(packages, rounds, given.only, given.tests)
    unexplained, counts = [], {name: Counter[str]() for name in PACKAGES}
    for package in PACKAGES:
        known = reasons_of(package)
        for file in sorted((ROOT / "mutants/src/shoal" / package).rglob("*.meta")):
            fates, left = survivors(file)
            for name, change in left.items():
                if change in known:
                    fates[name] = "explained"
                else:
                    unexplained.append(f"{name} ({fates[name]})\n{change}\n")
            counts[package].update(fates.values())
    report(counts, unexplained, seconds)


def reasons_of(package: str) -> set[str]:
    """The changes that tests/mutation/survivors.toml gives a reason for."""
    reasons = tomllib.loads((ROOT / "tests/mutation/survivors.toml").read_text(encoding="utf-8"))
    return {reason["change"].strip() for reason in reasons.get(package, [])}


def survivors(file: Path) -> tuple[dict[str, str], dict[str, str]]:
    """The fate of every mutant of a module, and the changes of those that no test noticed."""
    codes = json.loads(file.read_text(encoding="utf-8"))["exit_code_by_key"]
    fates = {name: fate_of(code) for name, code in codes.items()}
    left = [name for name, fate in fates.items() if fate in ("survived", "not reached")]
    return fates, changes(file.with_suffix(""), left)


def generate() -> None:
    """Write the mutants, and give each the fate that tests/mutation/fates.json has for it."""
    code = (
        "import mutmut.__main__ as m; from mutmut.mutation.trampoline import set_mutant_under_test as s;"
        "s('mutant_generation'); m.makedirs(m.Path('mutants'), exist_ok=True); m.copy_src_dir();"
        "m.copy_also_copy_files(); m.setup_source_paths(); m.store_lines_covered_by_tests(); m.create_mutants(1)"
    )
    quiet = {"cwd": ROOT, "env": os.environ | {"PYTHONPATH": str(ROOT)}, "stdout": subprocess.DEVNULL}
    if subprocess.run([sys.executable, "-c", code], check=False, **quiet).returncode:  # type: ignore[call-overload]
        sys.exit("mutmut did not write the mutants.")
    kept.read(FATES_FILE, ROOT / "mutants", KILLED)
    kept.write(FATES_FILE, ROOT / "mutants", KILLED)


def run(packages: list[str], rounds: list[str], only: str = "", tests: list[str] | None = None) -> float:
    """Try all mutants that have no fate yet or survived, and keep what became of them, also where the run is stopped.

    Returns the seconds it took.
    """
    begun = time.monotonic()
    try:
        if tests:
            where = "cluster" if all(test.startswith(CLUSTER) for test in tests) else "second"
            codes = [_try(package, where, only, tests) for package in packages]
        else:
            codes = [_try(package, one, only, tests_of(package, one)) for package in packages for one in rounds]
    finally:
        kept.write(FATES_FILE, ROOT / "mutants", KILLED)
    if any(codes):
        sys.exit("the tests that try mutants did not finish.")
    return time.monotonic() - begun


def tests_of(package: str, one: str) -> list[str]:
    """What is run in a round, as arguments of pytest; nothing where the package has nothing for it."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mutmut"]
    if one == "cluster":
        return [CLUSTER] if CLUSTER.startswith(f"tests/{package}/") else []
    own = [f"tests/{package}"] if one == "first" else settings["pytest_add_cli_args_test_selection"]
    return [*own, f"--ignore={CLUSTER}"]


def _try(package: str, one: str, only: str, tests: list[str]) -> int:
    """One round through the mutants of a package that are not killed; the exit code of its last process."""
    if not tests:
        return 0
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mutmut"]
    command = [sys.executable, "-m", "pytest", "-q", "-s", "--assert=plain", "--tb=native", "-p", "no:cacheprovider"]
    command += ["-o", "tmp_path_retention_policy=none", *settings["pytest_add_cli_args"], "-p", "tests.mutation.loop"]
    command += tests
    known = reasons_of(package)
    metas = sorted((ROOT / "mutants/src/shoal" / package).rglob("*.meta"))
    explained = [name for file in metas for name, change in survivors(file)[1].items() if change in known]
    (ROOT / "mutants/explained").write_text("" if one == "first" else "\n".join(explained), encoding="utf-8")
    on_cluster = f"(?={ON_CLUSTER})" if one == "cluster" else f"(?!{ON_CLUSTER})"
    environment = os.environ | {
        "PYTHONPATH": f"src{os.pathsep}.",
        "POLARS_MAX_THREADS": "1",
        "MUTANT_UNDER_TEST": "",
        "MUTANTS_PACKAGES": package,
        "MUTANTS_ONLY": f"{on_cluster}.*(?:{only})",
        "MUTANTS_SECONDS": str(ROUNDS[one]),
    }
    suspects = ROOT / "mutants/suspects"
    suspects.unlink(missing_ok=True)
    with TemporaryDirectory(dir=in_memory()) as scratch:  # its own, which no other run of pytest clears away
        environment["PYTEST_DEBUG_TEMPROOT"] = scratch
        while True:
            code = subprocess.run(command, cwd=ROOT / "mutants", env=environment, check=False).returncode
            if code != BROKEN and not (-code in DEATHS and suspects.exists()):
                return code


def fate_of(code: int | None) -> str:
    return "killed" if code in KILLED else FATES.get(code, "not run")


def changes(file: Path, names: list[str]) -> dict[str, str]:
    """For each mutant, the lines taken away and the lines put in; mutmut writes it beside its function."""
    functions = kept.texts_of(file) if names else {}
    found = {}
    for name in names:
        own = name.rpartition(".")[2]
        original = re.sub(r"__mutmut_\d+$", "__mutmut_orig", own)
        before, after = (functions[one].replace(one, "f").splitlines() for one in (original, own))
        different = [line for line in difflib.unified_diff(before, after, n=0) if line[:3] not in ("+++", "---")]
        found[name] = "\n".join(f"{line[0]} {line[1:].strip()}" for line in different if line[0] in "+-")
    return found


def report(counts: dict[str, Counter[str]], unexplained: list[str], seconds: float) -> None:
    """Write the evidence, print what survived without a reason, and fail where too much did."""
    details = {package: dict(found) or {"not run": "all"} for package, found in counts.items()}
    file = ROOT / "docs/evidence/mutants.json"
    before = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {"seconds": 0}
    survived = sum(found["survived"] + found["not reached"] + found["explained"] for found in counts.values())
    evidence: dict[str, object] = {
        "kind": "mutants",
        "what": "Small changes made on purpose to the code that checks, requires and publishes; a test must notice.",
        "tried": sum(found.total() - found["not run"] for found in counts.values()),
        "got_through": survived,
        "details": details,
        "seconds": before["seconds"] + round(seconds),
        "version": __version__,
    }
    waiting = sum(found["not run"] for found in counts.values())
    evidence["notes"] = [
        f"{survived - len(unexplained):,} that got through have their reason in tests/mutation/survivors.toml; "
        f"{len(unexplained):,} have none yet: each is to be killed by a test or explained.",
        *([f"{waiting:,} mutants have not been run yet."] if waiting else []),
        *(f"The package {name} has not been run." for name, found in counts.items() if not found.total()),
    ]
    file.write_text(json.dumps(evidence, indent=1) + "\n", encoding="utf-8")
    print("\n".join(unexplained))
    for package, found in counts.items():
        if found.total() == found["not run"]:
            print(f"{package}: not run")
            continue
        share = found["killed"] / found.total()
        print(f"{package}: {found['killed']} of {found.total()} killed ({share:.1%}), {dict(found)}")
        if share < LEAST.get(package, 0.0):
            sys.exit(f"{package}: fewer than {LEAST[package]:.0%} of the mutants were killed.")
    if unexplained:
        sys.exit(f"{len(unexplained)} survivors have no reason in tests/mutation/survivors.toml.")


if __name__ == "__main__":
    main()
