"""Cases that the end-to-end generator found, each run again whole."""

from __future__ import annotations

from tests.endtoend.run import run


def test_groups_grown_for_diversity_claim_no_theorem_of_the_method_they_replace() -> None:
    run(920181, later=False)
