"""Let Shoal propose the roles, read them, change them, release."""

from pathlib import Path

import shoal
from shoal.datasets import hospital
from shoal.roles import suggest_policy

hospital(500).write_csv("visits.csv")
profile = shoal.profile("visits.csv")
policy, comments = suggest_policy(profile)
Path("policy.toml").write_text(policy.dumps(comments=comments), encoding="utf-8")

# A steward reads policy.toml and edits it; settings laid over it do the same from Python.
release = shoal.anonymize("visits.csv", "policy.toml", k=10, seed=1)
assert release.findings.k >= 10
