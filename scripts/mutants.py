"""Change the code that checks releases in thousands of small ways, and see that a test notices each of them.

mutmut makes the changes (mutants) in a copy of the tree under `mutants/` and runs, for each, the tests that reach it.
A mutant that no test notices *survives*. Every survivor must have its reason in tests/mutation/survivors.toml, by the
change itself: a mutant that behaves like the original, or one that touches nothing but the words of a message.
Of `certify/` at least 95 in 100 must be killed. The counts go to docs/evidence/mutants.json.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import tomllib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from shoal import __version__  # noqa: E402

PACKAGES = ("certify", "requirements", "publish")
LEAST = {"certify": 0.95}
FATES = {0: "survived", 5: "not reached", 33: "not reached", 34: "not run", None: "not run"}
"""What mutmut's exit codes mean, besides being killed."""
KILLED = (1, 3, -11, -9, 36, -24, 24, 152, 255)
"""A test failed or broke, the mutant crashed, or it ran on without end: each is noticed by anybody."""
MUTMUT = (sys.executable, "-m", "mutmut")


def main() -> None:
    begun = time.monotonic()
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    if "--report" not in sys.argv:
        command = [*MUTMUT, "run", "--max-children", os.environ.get("MUTANTS_CORES", "2")]
        if subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode:
            sys.exit("mutmut did not finish.")
    reasons = tomllib.loads((ROOT / "tests/mutation/survivors.toml").read_text(encoding="utf-8"))
    unexplained, counts = [], {name: Counter[str]() for name in PACKAGES}
    for package in PACKAGES:
        known = {reason["change"].strip(): reason for reason in reasons.get(package, [])}
        for file in sorted((ROOT / "mutants/src/shoal" / package).glob("*.meta")):
            for name, code in json.loads(file.read_text(encoding="utf-8"))["exit_code_by_key"].items():
                fate = fate_of(code)
                if fate in ("survived", "not reached"):
                    change = shown(name, environment)
                    fate = "explained" if change in known else fate
                    if fate != "explained":
                        unexplained.append(f"{name} ({fate})\n{change}\n")
                counts[package][fate] += 1
    report(counts, unexplained, time.monotonic() - begun)


def fate_of(code: int | None) -> str:
    return "killed" if code in KILLED else FATES.get(code, "not run")


def shown(name: str, environment: dict[str, str]) -> str:
    """The change, as the lines taken away and the lines put in."""
    text = subprocess.run(
        [*MUTMUT, "show", name], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    ).stdout
    lines = [line for line in text.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    return "\n".join(f"{line[0]} {line[1:].strip()}" for line in lines)


def report(counts: dict[str, Counter[str]], unexplained: list[str], seconds: float) -> None:
    details = {package: dict(found) for package, found in counts.items()}
    survived = sum(found["survived"] + found["not reached"] + found["explained"] for found in counts.values())
    evidence = {
        "kind": "mutants",
        "what": "Small changes made on purpose to the code that checks, requires and publishes; a test must notice.",
        "tried": sum(found.total() for found in counts.values()),
        "got_through": survived,
        "details": details,
        "seconds": round(seconds),
        "version": __version__,
    }
    (ROOT / "docs/evidence/mutants.json").write_text(json.dumps(evidence, indent=1) + "\n", encoding="utf-8")
    print("\n".join(unexplained))
    for package, found in counts.items():
        share = found["killed"] / max(found.total(), 1)
        print(f"{package}: {found['killed']} of {found.total()} killed ({share:.1%}), {dict(found)}")
        if share < LEAST.get(package, 0.0):
            sys.exit(f"{package}: fewer than {LEAST[package]:.0%} of the mutants were killed.")
    if unexplained:
        sys.exit(f"{len(unexplained)} survivors have no reason in tests/mutation/survivors.toml.")


if __name__ == "__main__":
    main()
