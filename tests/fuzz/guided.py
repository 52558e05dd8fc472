"""One target under atheris, guided by coverage of the reading code: `python -m tests.fuzz.guided csv SECONDS FOLDER`.

What is found is saved in FOLDER, and the exit code is not 0. Kernels are left alone: numba compiles their bytecode.
"""

from __future__ import annotations

import resource
import sys
import warnings
from pathlib import Path

import atheris

with atheris.instrument_imports(
    include=["shoal.tables", "shoal.policy", "shoal.plans", "shoal.certify",
             "shoal.space.hierarchy", "shoal.space.hierarchy_sources", "shoal.space.map_sources"],
    exclude=["shoal.kernels"],
):  # fmt: skip
    from tests.fuzz import targets

MEMORY = 6 * 2**30
"""Of address space; more for a few kilobytes of input is an error."""


def main(name: str, seconds: int, findings: Path) -> None:
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    work = findings / "corpus" / name
    work.mkdir(parents=True, exist_ok=True)

    def one(data: bytes) -> None:
        targets.run(name, data)

    options = (f"-max_total_time={seconds}", "-max_len=4096", "-timeout=60", "-print_final_stats=1", "-verbosity=0")
    artifacts = f"-artifact_prefix={findings / name}-"
    atheris.Setup([sys.argv[0], *options, artifacts, str(work), str(targets.CORPUS / name)], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]).resolve())
