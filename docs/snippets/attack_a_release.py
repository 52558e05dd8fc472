"""How often would somebody who holds the originals find a person in the release?"""

import shoal
from shoal.datasets import hospital

table = hospital(400).select("birth_date", "sex", "zip", "diagnosis")
roles = {"quasi": ["birth_date", "sex", "zip"], "sensitive": ["diagnosis"]}
shoal.anonymize(table, k=4, **roles).write("release")
attacks = shoal.attack(table, "release")
print(f"nearest record: {attacks.nearest.rate:.1%} of attempts, promised at most {attacks.nearest.promise:.1%}")
assert not attacks.exceeds
