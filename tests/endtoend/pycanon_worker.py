"""Tables in, one JSON line each; pycanon's numbers out. Runs in pycanon's own environment, without Shoal."""

import json
import math
import sys
import warnings

import pandas as pd
from pycanon import anonymity

warnings.simplefilter("ignore")
for line in sys.stdin:
    told = json.loads(line)
    data, quasi = pd.DataFrame(told["cells"]), told["quasi"]
    c = anonymity.recursive_c_l_diversity(data, quasi, ["l distinct"])[0]
    several = data["t ordered"].nunique() > 1
    found = {
        "k": int(anonymity.k_anonymity(data, quasi)),
        "l": int(anonymity.l_diversity(data, quasi, ["l distinct"])),
        "entropy": int(anonymity.entropy_l_diversity(data, quasi, ["l distinct"])),
        "c": None if math.isnan(c) else int(c),
        "t equal": float(anonymity.t_closeness(data, quasi, ["l distinct"])),
        "t ordered": float(anonymity.t_closeness(data, quasi, ["t ordered"])) if several else None,
    }
    print(json.dumps(found))
