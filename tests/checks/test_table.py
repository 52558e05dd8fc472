from __future__ import annotations

from shoal.partition.methods.choose import OBJECTIVE_OF
from tests.checks.methods import METHODS


def test_every_method_that_a_policy_can_name_is_checked():
    assert {method.name.partition(",")[0] for method in METHODS} >= set(OBJECTIVE_OF)
