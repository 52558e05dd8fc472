"""pycanon's k, l and t, reading the file included."""

import json
import sys
import time

import pandas as pd
from pycanon import anonymity


def main() -> None:
    columns = json.loads(sys.argv[3])["columns"]
    begun = time.perf_counter()
    frame = pd.read_csv(sys.argv[1])
    quasi, sensitive = columns[:-1], columns[-1:]
    k = anonymity.k_anonymity(frame, quasi)
    l = anonymity.l_diversity(frame, quasi, sensitive)  # noqa: E741
    t = anonymity.t_closeness(frame, quasi, sensitive)
    seconds = time.perf_counter() - begun
    print(json.dumps({"seconds": seconds, "answer": [int(k), int(l), round(float(t), 9)]}))


if __name__ == "__main__":
    main()
