"""What publication writes for people is what verify counts: across groups published alike, and in multisets."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from shoal.certify import verify
from shoal.partition.result import Partition
from shoal.policy import Policy
from shoal.publish import publish
from shoal.requirements import build, count
from tests.fixed_secret import secret

ORIGINAL = pl.DataFrame(
    {
        "person": [f"id{i}" for i in (0, 1, 2, 3, 0, 4, 5, 6, 7, 7)],
        "age": [20, 30] * 5,
        "diagnosis": ["flu", "flu", "cold", "gout", "flu", "cold", "gout", "flu", "flu", "flu"],
    }
)
GROUPS = Partition(
    labels=np.array([0] * 5 + [1] * 5), method="test", objective="sse", cost=0.0
)  # both are published as [20, 30]


def policy() -> Policy:
    columns = {
        "person": {"role": "person"},
        "age": {"role": "quasi", "kind": "number"},
        "diagnosis": {"role": "sensitive", "kind": "label"},
    }
    return Policy.parse({"k": 4, "diversity": {"l": 2, "kind": "frequency"}, "columns": columns})


@pytest.mark.parametrize("seed", range(5))
def test_groups_published_alike_number_their_people_together(seed):
    """Numbered group by group, person 1 would be two people, and flu would be held by too many of the four."""
    released = publish(ORIGINAL, policy(), GROUPS, {}, form="generalize", secret=secret(seed)).frame
    findings = verify(released, policy(), form="generalize")
    assert findings.holds
    assert (findings.groups, findings.k, findings.l) == (1, 8, {"diagnosis": 2.0})


@pytest.mark.parametrize("seed", range(3))
def test_multisets_count_people(seed):
    released = publish(ORIGINAL, policy(), GROUPS, {}, form="centers", secret=secret(seed)).frame
    findings = verify(released, policy(), form="centers")
    requirements, records = build(policy(), ORIGINAL)
    enforced = requirements[1].measure(count(GROUPS.labels, records))
    assert findings.holds
    assert (findings.k, findings.l["diagnosis"]) == (4, enforced.min())
