"""`shoal verify` of k, l and t, reading the file included."""

import json
import sys
import time

from shoal.certify import verify
from shoal.policy import Policy


def main() -> None:
    columns = json.loads(sys.argv[3])["columns"]
    policy = {
        "k": 2,
        "diversity": {"l": 1},
        "closeness": {"t": 1.0},
        "columns": {name: {"role": "quasi"} for name in columns[:-1]} | {columns[-1]: {"role": "sensitive"}},
    }
    begun = time.perf_counter()
    found = verify(sys.argv[1], Policy.parse(policy))
    seconds = time.perf_counter() - begun
    t = round(found.t[columns[-1]], 9)
    print(json.dumps({"seconds": seconds, "answer": [found.k, int(found.l[columns[-1]]), t]}))


if __name__ == "__main__":
    main()
