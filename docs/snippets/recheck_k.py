import sys

import pandas as pd

path, *quasi = sys.argv[1:]  # release.csv age zip sex
released = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8")
sizes = released.groupby(quasi, dropna=False).size()
print(f"rows: {len(released)}  groups: {len(sizes)}  k: {sizes.min()}")
sys.exit(0 if sizes.min() > 1 else 4)
