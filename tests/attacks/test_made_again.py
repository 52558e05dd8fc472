"""A release that is made again: whoever has both must not learn more than from one of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import shoal
from shoal.cli.main import app

N, K = 240, 5
COMMAND = ["--quasi", "age,pay,days", "--sensitive", "ill", "--identifier", "name", "-k", str(K)]


def people(seed: int = 0) -> pl.DataFrame:
    chance = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "name": [f"N{number:04}" for number in range(N)],
            "age": chance.integers(18, 95, N),
            "pay": chance.integers(900, 9000, N),
            "days": chance.integers(0, 365, N),
            "ill": chance.choice(["flu", "cold", "gout", "none"], N),
        }
    )


def settings() -> dict[str, Any]:
    roles = {"name": "identifier", "age": "quasi", "pay": "quasi", "days": "quasi", "ill": "sensitive"}
    return {"k": K, "columns": {name: {"role": role} for name, role in roles.items()}}


def below_k(first: shoal.Release, second: shoal.Release) -> int:
    """How many people are in fewer than k by both releases: who knows them finds them in both classes."""
    classes = []
    for release in (first, second):
        cells = release.published.frame.select("age", "pay", "days").rows()
        classes.append(dict(zip(release.order[release.published.rows].tolist(), cells, strict=True)))
    both = Counter((classes[0][row], classes[1][row]) for row in classes[0])
    return sum(both[classes[0][row], classes[1][row]] < K for row in classes[0])


def test_two_releases_with_different_secrets_can_be_compared() -> None:
    """Why a secret is kept: without it, most people are below k for whoever has both releases."""
    first, second = (shoal.anonymize(people(), settings()) for _ in range(2))
    assert below_k(first, second) > N / 4


def released(tmp_path: Path, table: pl.DataFrame, *more: str) -> dict[str, bytes]:
    table.write_csv(tmp_path / "table.csv")
    done = CliRunner().invoke(
        app, ["anonymize", str(tmp_path / "table.csv"), "--out", str(tmp_path / "out"), *COMMAND, *more]
    )
    assert done.exit_code == 0, done.output
    folders = [tmp_path / "out", tmp_path / "out.private"]
    found = {file.name: file.read_bytes() for folder in folders for file in folder.iterdir()}
    return found | {"printed": done.output.encode()}


def test_the_same_command_on_the_same_table_makes_the_same_release(tmp_path: Path) -> None:
    first = released(tmp_path, people())
    again = released(tmp_path, people().sample(fraction=1, shuffle=True, seed=3))
    assert again["release.csv"] == first["release.csv"]
    assert again["secret.key"] == first["secret.key"]
    assert b"held another release" not in again["printed"]


@pytest.mark.parametrize("change", ["a cell", "a name", "k", "a row less"])
def test_another_table_or_policy_gets_a_secret_of_its_own_and_a_warning(tmp_path: Path, change: str) -> None:
    """With one secret for two tables, rows could be linked by their places."""
    first = released(tmp_path, people())
    table = people()
    more = ["--k", "6"] if change == "k" else []
    if change in ("a cell", "a name"):
        name, value = ("pay", 901) if change == "a cell" else ("name", "Zoe")
        table = table.with_columns(pl.when(pl.int_range(N) == 7).then(pl.lit(value)).otherwise(name).alias(name))
    elif change == "a row less":
        table = table.head(N - 1)
    again = released(tmp_path, table, *more)
    assert again["secret.key"] != first["secret.key"]
    assert b"held another release" in again["printed"]


def test_in_python_the_private_folder_of_the_earlier_release_is_named(tmp_path: Path) -> None:
    first = shoal.anonymize(people(), settings())
    first.write(tmp_path / "out")
    again = shoal.anonymize(people(), settings(), secret=tmp_path / "out.private")
    assert below_k(first, again) == 0
    assert again.published.frame.equals(first.published.frame)
    other = shoal.anonymize(people(1), settings(), secret=tmp_path / "out.private")
    assert other.secret.key != first.secret.key


def test_what_is_kept_to_know_the_table_again_says_nothing_without_the_secret(tmp_path: Path) -> None:
    marks = {shoal.anonymize(people(), settings()).secret.fingerprint for _ in range(2)}
    assert len(marks) == 2
    shoal.anonymize(people(), settings()).write(tmp_path / "out")
    public = "".join(file.read_text(encoding="utf-8") for file in (tmp_path / "out").iterdir())
    assert "fingerprint" not in public


@pytest.mark.parametrize(
    "beside",
    [
        "evidence = true\n",
        "population = 5000\n",
        '[dossier]\npurpose = "teaching"\n',
        '[metadata]\nformats = ["croissant"]\n',
    ],
)
def test_settings_that_change_no_row_keep_the_secret(beside: str, tmp_path: Path) -> None:
    """A section for the dossier, added after a first release, drew a new secret and so made other groups."""
    people().write_csv(tmp_path / "table.csv")
    plain = shoal.Policy.parse(settings()).dumps()
    found = []
    for text in (plain, beside + plain if beside[0] != "[" else plain + "\n" + beside):
        (tmp_path / "policy.toml").write_text(text)
        table, out = str(tmp_path / "table.csv"), str(tmp_path / "out")
        done = CliRunner().invoke(app, ["anonymize", table, "--out", out, "-p", str(tmp_path / "policy.toml"), "-q"])
        assert done.exit_code == 0, done.output
        found.append((tmp_path / "out" / "release.csv").read_bytes())
    assert found[0] == found[1]
