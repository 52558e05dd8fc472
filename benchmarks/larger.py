"""Tables larger than memory: `python -m benchmarks.larger 1 3 10` releases so many million wide rows in blocks.

The table is written to Parquet files of a million rows each, then released by the local engine: one line per size,
with seconds, processor seconds, the largest memory of the process itself and of a worker, and what was lost.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from pathlib import Path

import shoal
from benchmarks.wide import QUASI, wide

MILLION = 1_000_000


def table(folder: Path, millions: int) -> Path:
    """Return a folder with so many million rows."""
    folder.mkdir()
    for part in range(millions):
        wide(MILLION, seed=part).write_parquet(folder / f"part{part:03}.parquet", row_group_size=MILLION // 5)
    return folder


def measured(millions: int, k: int = 5) -> dict[str, object]:
    """Return what a release of so many million rows took."""
    with tempfile.TemporaryDirectory() as name:
        here = Path(name)
        source = table(here / "wide", millions)
        begun = time.monotonic()
        before = _processor_seconds()
        roles = {"quasi": list(QUASI), "sensitive": "illness"}
        with shoal.anonymize(source, k=k, engine="local", work=here, **roles) as release:  # type: ignore[call-overload]
            written = release.write(here / "out")
        return {
            "rows": millions * MILLION,
            "k": k,
            "seconds": round(time.monotonic() - begun, 1),
            "processor_seconds": round(_processor_seconds() - before, 1),
            "peak_gb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, 2),
            "worker_peak_gb": round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6, 2),
            "lost": round(written.loss, 5),
            "ratio_seen": float(written.rows.facts.ratio_seen or 0.0),
            "steps": {step: round(seconds, 1) for step, seconds in written.seconds.items()},
        }


def _processor_seconds() -> float:
    """Return the processor time of this process and of its workers that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


if __name__ == "__main__":
    for millions in map(int, sys.argv[1:] or ["1"]):
        print(json.dumps(measured(millions)), flush=True)
