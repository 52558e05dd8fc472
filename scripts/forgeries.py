"""Try every certificate that differs from a true one in one place, and write what came of it to docs/evidence/."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import shoal  # noqa: E402
from shoal.errors import ShoalError  # noqa: E402
from tests.certify import forgeries  # noqa: E402

WORD = {("suppressed",), ("shoal",), ("policy", "columns", "name")}
"""What the publisher states and no count can show: changing it is told apart, not counted as got through."""


def main() -> None:
    begun = time.monotonic()
    tried: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    word = 0
    with tempfile.TemporaryDirectory() as folder:
        table = forgeries.written(Path(folder) / "out")
        own = forgeries.policy(forgeries.written(Path(folder) / "own").parent)
        file = table.parent / "certificate.json"
        honest = file.read_text(encoding="utf-8")
        for how, where, text in forgeries.forged(honest):
            if how != "key twice" and json.dumps(json.loads(text)) == json.dumps(json.loads(honest)):
                continue
            file.write_bytes(text.encode("utf-8", "surrogatepass"))
            for who, policy in (("without a policy", None), ("with one's own policy", own)):
                kind = f"{how}, {who}"
                tried[kind] += 1
                if not _holds(table, policy):
                    continue
                if where in WORD:
                    word += 1
                else:
                    passed[kind] += 1
    evidence = {
        "kind": "forgeries",
        "what": "Certificates that differ from a true one in one place (removed, replaced, its key twice), held "
        "against the folder of the true one. "
        f"{word} of them change only what the publisher states and nobody can count.",
        "tried": sum(tried.values()),
        "got_through": sum(passed.values()),
        "details": {kind: {"tried": tried[kind], "got through": passed[kind]} for kind in sorted(tried)},
        "seconds": round(time.monotonic() - begun, 1),
        "version": shoal.__version__,
    }
    path = ROOT / "docs" / "evidence" / "forgeries.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(evidence, indent=1) + "\n", encoding="utf-8")
    print(f"{evidence['tried']} tried, {evidence['got_through']} got through")


def _holds(table: Path, policy: shoal.Policy | None) -> bool:
    try:
        return shoal.verify(table, policy).holds
    except ShoalError:
        return False


if __name__ == "__main__":
    main()
