"""Let Shoal propose the roles, read them, change them, release."""

import shoal
from shoal.datasets import hospital

hospital(500).write_csv("visits.csv")
profile = shoal.profile("visits.csv")
profile.write("policy.toml", force=True)  # profile.policy is the same as an object

# A steward reads policy.toml and edits it; settings laid over it do the same from Python.
release = shoal.anonymize("visits.csv", "policy.toml", k=10, seed=1)
assert release.findings.k >= 10
