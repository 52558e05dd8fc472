"""pycanon's k, l and t, reading the file included."""

import pandas as pd
from _play import asked, play
from pycanon import anonymity


def main() -> None:
    source, _, options = asked()
    quasi, sensitive = options["columns"][:-1], options["columns"][-1:]

    def work() -> list[float]:
        frame = pd.read_csv(source)
        k = anonymity.k_anonymity(frame, quasi)
        l = anonymity.l_diversity(frame, quasi, sensitive)  # noqa: E741
        return [int(k), int(l), round(float(anonymity.t_closeness(frame, quasi, sensitive)), 9)]

    play(work, answer=list)


if __name__ == "__main__":
    main()
