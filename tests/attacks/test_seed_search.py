"""Who knows the table of names, the method and the seed cannot make the release again: that takes the secret."""

from __future__ import annotations

import hashlib
from collections import Counter
from math import sqrt
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.secret import Secret
from tests.attacks.row_order import roster

SEED = 8240023
ROLES = {"name": "identifier", "note": "other", "ill": "sensitive", "age": "quasi"}
TRIED = 12


def policy(method: str, form: str, **changes: Any) -> dict[str, Any]:
    columns: dict[str, Any] = {name: {"role": role} for name, role in ROLES.items()}
    columns["note"]["publish_rare"] = True  # each row has its own, by which it is followed
    return {"k": 3, "seed": SEED, "method": method, "publication": form, "effort": 1, "columns": columns} | changes


def secret(number: int) -> Secret:
    return Secret(hashlib.sha256(f"seed search {number}".encode()).digest())


TRUE = secret(-1)


def named(
    table: pl.DataFrame, public: pl.DataFrame, asked: dict[str, Any], guessed: Secret
) -> tuple[int, float, float]:
    """Whose diagnosis the attacker names by running the same release on the roster: right ones, and by chance.

    She knows who is in the table and all their quasi-identifiers, and no diagnosis. Her own run tells her who would
    stand at which place of every class.
    """
    unknown = table.with_columns(ill=pl.lit("?"), note=pl.lit("?"))
    rerun = shoal.anonymize(unknown, asked, secret=guessed)
    names = table["name"][rerun.order[rerun.published.rows]]
    mine = rerun.published.frame.select("age").with_columns(name=names, place=pl.int_range(pl.len()).over("age"))
    theirs = public.select("age", "ill").with_columns(place=pl.int_range(pl.len()).over("age"))
    guess = dict(mine.join(theirs, on=["age", "place"]).select("name", "ill").rows())
    right, expected, variance = 0, 0.0, 0.0
    for _, equal in table.group_by("age"):  # by chance she names what anybody has who is equal to her target
        counts = Counter(equal["ill"].to_list())
        for name, ill in equal.select("name", "ill").rows():
            chance = counts[guess[name]] / equal.height
            right += guess[name] == ill
            expected += chance
            variance += chance * (1 - chance)
    return right, expected, variance


@pytest.mark.parametrize(("method", "form"), [("forest", "generalize"), ("mdav", "aggregate")])
def test_the_seed_alone_names_nobody_and_the_secret_everybody(method: str, form: str) -> None:
    table, asked = roster(300, ages=10), policy(method, form)
    public = shoal.anonymize(table, asked, secret=TRUE).published.frame
    right, _, _ = named(table, public, asked, TRUE)
    assert right == table.height, "with the secret this attacker names everybody: she would with a seed that decides"
    tried = [named(table, public, asked, secret(number)) for number in range(TRIED)]
    right, expected, variance = (sum(part) for part in zip(*tried, strict=True))
    assert abs(right - expected) < 3 * sqrt(variance), (right, expected)


def test_no_short_seed_gives_the_order_of_classes() -> None:
    """The sequence of published quasi-identifiers is what a guessed seed would be checked by."""
    table, asked = roster(200, ages=10), policy("mdav", "aggregate")
    public = shoal.anonymize(table, asked, secret=TRUE).published.frame["age"].to_list()
    for seed in (*range(20), SEED):
        rerun = shoal.anonymize(table, asked | {"seed": seed}, secret=secret(0)).published.frame["age"].to_list()
        assert sorted(rerun) == sorted(public)
        assert rerun != public


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@pytest.mark.parametrize("form", ["generalize", "aggregate", "centers", "suppress"])
def test_secret_and_seed_make_the_same_public_folder_from_rows_in_any_order(form: str, tmp_path: Path) -> None:
    table, asked = roster(200, ages=30), policy("auto", form)
    columns = asked["columns"] | {"note": {"role": "person"}}
    for kind, settings in (("rows", asked), ("people", asked | {"columns": columns})):
        first = shoal.anonymize(table, settings)
        first.write(tmp_path / f"{kind} one")
        key = tmp_path / f"{kind} one.private" / "secret.key"
        assert Secret.from_hex(key.read_text()).key == first.secret.key
        again = table.sample(fraction=1, shuffle=True, seed=1)
        shoal.anonymize(again, settings, secret=key).write(tmp_path / f"{kind} two")
        assert contents(tmp_path / f"{kind} one") == contents(tmp_path / f"{kind} two")
        shoal.anonymize(table, settings, secret=secret(0)).write(tmp_path / f"{kind} three")
        assert contents(tmp_path / f"{kind} one") != contents(tmp_path / f"{kind} three")


def test_the_secret_is_in_one_file_alone(tmp_path: Path) -> None:
    release = shoal.anonymize(roster(120, ages=6), policy("forest", "generalize"))
    written = release.write(tmp_path / "out", mapping=True)
    key = release.secret.key
    shown = {"repr": repr(written), "str": str(written), "vars": repr(vars(written)), "json": str(written.to_dict())}
    shown |= {"certificate": repr(written.certificate), "policy": repr(written.policy), "plan": written.plan.dumps()}
    for where, text in shown.items():
        assert key.hex() not in text.lower(), where
        assert str(key) not in text, where
    assert contents(tmp_path / "out.private").pop("secret.key") == key.hex().encode() + b"\n"
    for folder in ("out", "out.private"):
        for name, content in contents(tmp_path / folder).items():
            if name != "secret.key":
                assert key not in content, name
                assert key.hex().encode() not in content.lower(), name


def test_a_plan_applied_is_repeated_by_its_secret_alone() -> None:
    table, asked = roster(300, ages=10), policy("forest", "generalize")
    plan = shoal.anonymize(table, asked).plan
    june = roster(200, ages=10, seed=4)
    first = shoal.apply(plan, june, seed=SEED, max_suppressed=0.5)
    assert shoal.apply(plan, june, seed=SEED, max_suppressed=0.5, secret=first.secret).table.equals(first.table)
    assert not shoal.apply(plan, june, seed=SEED, max_suppressed=0.5).table.equals(first.table)
