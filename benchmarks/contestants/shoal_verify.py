"""`shoal verify` of k, l and t, reading the file included."""

from _play import asked, play

from shoal.certify import verify
from shoal.policy import Policy


def main() -> None:
    source, _, options = asked()
    *quasi, sensitive = options["columns"]
    columns = {name: {"role": "quasi"} for name in quasi} | {sensitive: {"role": "sensitive"}}
    policy = Policy.parse({"k": 2, "diversity": {"l": 1}, "closeness": {"t": 1.0}, "columns": columns})
    play(
        lambda: verify(source, policy),
        answer=lambda found: [found.k, int(found.l[sensitive]), round(found.t[sensitive], 9)],
    )


if __name__ == "__main__":
    main()
