"""Run the order and seed attackers over many releases and write docs/evidence/row-order.json.

`python -m tests.attacks.row_order_evidence [releases per method, form and k]`
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from pathlib import Path
from typing import Any

from shoal import __version__
from shoal.secret import Secret
from tests.attacks import test_seed_search as seeds
from tests.attacks.row_order import Tries, roster, together
from tests.attacks.test_row_order import ALL, attacked, policy

FILE = Path(__file__).resolve().parents[2] / "docs" / "evidence" / "row-order.json"


def main(releases: int) -> dict[str, Any]:
    begun = time.monotonic()
    details: dict[str, dict[str, float]] = {}
    several: dict[str, list[Tries]] = {}
    beyond = n = 0
    for place, (method, form, k) in enumerate(ALL):
        for way, tries in attacked(roster(seed=place), policy(method, form, k), range(releases)).items():
            several.setdefault(f"{form}, {way.split(',')[0]} order", []).append(tries)
            beyond += tries.standard_errors > 4  # of some 500 right ones, none is that far off
            n += 1
    for kind, tried in several.items():
        whole = together(tried)
        details[kind] = {
            "guesses": int(whole.attempts),
            "right": round(whole.right),
            "right by chance": round(whole.expected),
        }
    seeds_tried, right, expected = 60, 0, 0.0
    table, asked = roster(300, ages=10), seeds.policy("mdav", "aggregate")
    public = seeds.shoal.anonymize(table, asked, secret=seeds.TRUE).published.frame
    for number in range(seeds_tried):
        guess = Secret(hashlib.sha256(f"evidence {number}".encode()).digest())
        named, chance, _ = seeds.named(table, public, asked, guess)
        right, expected = right + named, expected + chance
    details["the seed known, another secret"] = {
        "guesses": seeds_tried * table.height,
        "right": right,
        "right by chance": round(expected),
    }
    beyond += right - expected > 4 * expected**0.5
    return {
        "kind": "row-order",
        "what": (
            "Somebody who knows a list of names guesses her neighbor's diagnosis from the order of released rows, "
            "or makes the release again with its seed; tried for every method and form, got through if right "
            "more than four standard errors above chance."
        ),
        "tried": n + 1,
        "got_through": int(beyond),
        "details": details,
        "seconds": round(time.monotonic() - begun),
        "version": __version__,
    }


if __name__ == "__main__":
    told = main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(json.dumps(told, indent=1))
