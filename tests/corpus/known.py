"""Known misses, one per line, in files beside this module: a list that may only become shorter.

`python -m tests.corpus.known` writes them anew.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).resolve().parent


def known(what: str) -> list[str]:
    """Return the known misses of the proposals, or of accepting them."""
    return (HERE / f"{what}_misses.txt").read_text(encoding="utf-8").splitlines()


def _write(folder: Path) -> None:
    from tests.corpus.accepting import accept
    from tests.corpus.proposals import judge
    from tests.corpus.tables import NAMES, build

    lines: dict[str, list[str]] = {"proposal": [], "acceptance": []}
    total = types = roles = missing = 0
    for name in NAMES:
        table = build(name)
        path = folder / f"{name}.csv"
        path.write_bytes(table.data())
        judged = judge(table, path)
        lines["proposal"] += judged.misses
        total, types, roles = total + judged.n_columns, types + judged.wrong_types, roles + judged.wrong_roles
        missing += judged.wrong_missing
        if "--proposals" not in sys.argv:
            lines["acceptance"] += accept(table, path)
    for what, found in lines.items():
        if found or "--proposals" not in sys.argv:
            (HERE / f"{what}_misses.txt").write_text("".join(f"{line}\n" for line in found), encoding="utf-8")
    right = [f"{1 - wrong / total:.1%}" for wrong in (types, roles, missing)]
    sys.stdout.write(f"{total} columns: types {right[0]}, roles {right[1]}, missing {right[2]}\n")


if __name__ == "__main__":
    with TemporaryDirectory() as there:
        _write(Path(there))
