"""docs/benchmarks.md, written from one run's results: one page that a person reads, with all tables on another."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from benchmarks import charts, tables_page, verdicts
from benchmarks.process import ROOT
from benchmarks.verdicts import ABSENT, AHEAD, BEHIND, LEVEL, MISSES, Outcome

DOCS = ROOT / "docs"
MOST_LINES = 10
Row = dict[str, Any]
TASKS = {
    "microagg1d": "the optimum of one column",
    "plain MDAV, compiled": "groups of numeric records, up to 100,000",
    "fast_hdbscan": "minimum spanning trees",
    "mlpack": "minimum spanning trees",
    "k-means-constrained": "clusters of at least k points",
    "scikit-learn (k-means)": "clusters of points",
    "anonypy (Mondrian)": "Adult, generalized",
    "anjana (full domain)": "Adult with hierarchies, one level per column",
    "spopt (max-p)": "connected groups of counties",
    "pycanon": "checking k, l and t of a million rows",
}
PAGE = """# Benchmarks

Shoal beside {n_peers} others on the same files, {n_found} comparisons in all. A peer is behind where some method of
Shoal's is as fast or faster and loses no more: so it is in **{ahead} of {n_found}**. In {level} they are level, in {behind} the
peer is ahead, in {misses} its output misses k, and {absent} did not end or could not be installed.[^run]

{chart}

{table}

[All tables](benchmarks-tables.md): every contest with its spread and memory, the papers' experiments, how Shoal grows with the
records, where its time goes, and how to run it all yourself.

## What Shoal loses at

{lost}

[^run]: This page is written by `make bench` (about 40 minutes on two cores, from a bare clone) and not edited by hand. This
    run: commit `{commit}`, {machine}{quick}. Where the reference data is not beside the checkout, generated tables of
    the same shape take its place, so figures will differ.
[^seconds]: Every peer runs in a Python environment of its own, in turns with Shoal. Seconds are of the work alone: starting
    Python and compiling are apart. Each is compared with Shoal's fastest method that loses no more; from the contest that
    is best for the peer to the one that is best for Shoal.
[^loss]: The peer's loss over that of the same method of Shoal: squared error, NCP, the tree's weight or the heaviest group.
[^k]: Counted twice on every output, by a `GROUP BY` in SQLite and by `shoal verify`; both must say so.
"""  # noqa: E501


def write(results: Row, docs: Path = DOCS) -> Path:
    """The page of a run, the tables behind it, and their charts."""
    (docs / "images").mkdir(parents=True, exist_ok=True)
    (docs / "benchmarks-tables.md").write_text(tables_page.text(results, docs), encoding="utf-8")
    page = docs / "benchmarks.md"
    page.write_text(text(results, docs), encoding="utf-8")
    return page


def text(results: Row, docs: Path) -> str:
    played = verdicts.contests(results)
    found = [one for _, rows in played for one in verdicts.outcomes(rows)]
    peers = _by_peer(found)
    lines = {peer: [row for _, rows in played for row in rows if row["contestant"] == peer] for peer in peers}
    return PAGE.format(
        n_peers=len(peers),
        n_found=len(found),
        chart=_chart(peers, docs),
        table=_table(peers, lines),
        lost=f"{_lost(found)}{_memory(lines)}",
        commit=results["commit"],
        machine=results["machine"],
        quick=", quick run" * results["quick"],
        **{
            name: sum(one.kind == kind for one in found)
            for name, kind in (
                ("ahead", AHEAD),
                ("level", LEVEL),
                ("behind", BEHIND),
                ("misses", MISSES),
                ("absent", ABSENT),
            )
        },
    )


def _by_peer(found: list[Outcome]) -> dict[str, list[Outcome]]:
    peers: dict[str, list[Outcome]] = {}
    for one in found:
        peers.setdefault(one.peer, []).append(one)
    return peers


def _chart(peers: dict[str, list[Outcome]], docs: Path) -> str:
    rows = [(peer, [(one.times, one.kind) for one in found if one.times]) for peer, found in peers.items()]
    drawn = [(peer, dots) for peer, dots in rows if dots]
    if not drawn:
        return "No peer could be compared in this run."
    (docs / "images" / "benchmarks-peers.svg").write_text(charts.ratios(drawn), encoding="utf-8")
    return (
        "![Seconds of each peer as a multiple of Shoal's, a dot for each contest](images/benchmarks-peers.svg)\n\n"
        "A dot is one contest. Orange: the peer is ahead; gray: level; blue: Shoal is ahead."
    )


def _table(peers: dict[str, list[Outcome]], rows: dict[str, list[Row]]) -> str:
    lines = [
        "| peer | at | its seconds, times Shoal's[^seconds] | its loss, times Shoal's[^loss] | meets k[^k] |",
        "|---|---|--:|--:|---|",
    ]
    for peer, found in list(peers.items())[:MOST_LINES]:
        task = TASKS.get(peer, found[0].contest)
        seconds = _from_to([one.times for one in found if one.times])
        losses = _from_to([one.losses for one in found if one.losses], 3)
        name = f"{peer} {rows[peer][0]['version']}".strip()
        met = _meets([row["meets"] for row in rows[peer]])
        lines.append(f"| {name} | {task} | {seconds} | {losses} | {met} |")
    left = len(peers) - MOST_LINES
    return "\n".join(lines) + (f"\n\n{left} more are among all tables." if left > 0 else "")


def _from_to(values: list[float], digits: int = 2) -> str:
    if not values:
        return "-"
    low, high = (f"{value:.{digits}g}" if value < 100 else f"{value:.0f}" for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def _meets(counted: list[bool | None]) -> str:
    known = [one for one in counted if one is not None]
    if not known:
        return "-"
    return "yes" if all(known) else f"**no**, in {known.count(False)} of {len(known)}"


def _lost(found: list[Outcome]) -> str:
    """One paragraph for each peer and reason, so that one cause is told once."""
    lost = [one for one in found if one.kind in (BEHIND, LEVEL)]
    if not lost:
        return "Nothing in this run."
    said = []
    for peer, because in dict.fromkeys((one.peer, one.because) for one in lost):
        ones = [one for one in lost if (one.peer, one.because) == (peer, because)]
        times = [one.times for one in ones if one.times]
        losses = [one.losses for one in ones if one.losses]
        how = f"takes {_from_to(times)} of the time" if times else "loses less"
        if losses:
            same = max(abs(value - 1) for value in losses) <= verdicts.SAME
            how += " at the same loss" if same else f", and loses {_from_to(losses, 3)} times as much"
        if all(one.kind == LEVEL for one in ones):
            how += " (level: the two spreads overlap)"
        said.append(f"- **{peer}** {how}: {_contests([one.contest for one in ones])}. {because}".rstrip())
    return "\n".join(said)


def _memory(lines: dict[str, list[Row]]) -> str:
    """Who needs less memory than Shoal's first method in the contest."""
    known = [row["memory"] for rows in lines.values() for row in rows if row["memory"] is not None]
    less = [times for times in known if times < 1]
    if not less:
        return ""
    how_often = f"in {len(less)} of {len(known)} comparisons the peer needs less"
    return f"\n- **Memory**: {how_often}, {_from_to(less)} of Shoal's peak."


def _contests(names: list[str]) -> str:
    """`Census, k = 3, 5, 10` for three contests of one table."""
    sizes: dict[str, list[str]] = {}
    for name in names:
        table, _, k = name.partition(", k = ") if re.search(r", k = [\d,]+$", name) else (name, "", "")
        sizes.setdefault(table, []).append(k)
    return "; ".join(f"{table}, k = {', '.join(ks)}" if any(ks) else table for table, ks in sizes.items())
