"""A real process that writes one release after the other, killed at a random moment."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import shoal
from tests.faults.plan import open_to_others

WRITER = """
import sys
from pathlib import Path
import shoal
from tests.api.test_rules import policy, visits
from tests.faults.scenarios import writer
both = [writer(shoal.anonymize(visits(n), policy())) for n in (24, 40)]
for turn in range(100_000):
    both[turn % 2](Path(sys.argv[1]))
    if turn == 1:
        print("ready", flush=True)
"""


def kill_often(parent: Path, *, times: int, seed: int) -> dict[str, int]:
    """Kill a writing process so often; how often the pair was whole, and how often it was completed first."""
    chance, out = random.Random(seed), parent / "out"
    found = {"whole": 0, "completed": 0}
    for _ in range(times):
        call = [sys.executable, "-c", WRITER, str(out)]
        with subprocess.Popen(call, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            time.sleep(chance.random() / 2)
            process.kill()
        assert not open_to_others(parent)
        found["completed" if shoal.recover(out) else "whole"] += 1
        assert sorted(path.name for path in parent.iterdir()) == ["out", "out.private"]
        findings = shoal.verify(out)
        assert findings.holds
        text = (parent / "out.private" / "certificate.json").read_text(encoding="utf-8")
        private = shoal.Certificate.from_json(text)
        assert private.published_sha256 == findings.sha256, "halves of two releases"
    return found
