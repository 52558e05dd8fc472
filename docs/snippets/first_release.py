"""From a frame to a folder that may be published."""

import shoal
from shoal.datasets import hospital

table = hospital(500)
release = shoal.anonymize(
    table,
    identifier=["patient_id", "name"],
    quasi=["birth_date", "sex", "zip", "height_cm", "weight_kg", "admitted"],
    sensitive=["diagnosis", "ward", "length_of_stay"],
    k=5,
)
print(release)

release.write("release")
findings = shoal.verify("release")
assert findings.holds
assert findings.k >= 5
