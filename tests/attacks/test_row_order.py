"""The order of released rows, and who shares a group, say nothing of the order of names: PRIVACY-6."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, get_args

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.policy import Method, Publication
from shoal.secret import Secret
from tests.attacks.row_order import Tries, beside, in_one_block_of, names_beside, roster, together
from tests.endtoend.workbook import workbook

METHODS = [method for method in get_args(Method) if method != "auto"]
FORMS = [form for form in get_args(Publication) if form != "auto"]
ONLY_K = {"pairs": 2, "triples": 3}
WHOLE_COLUMNS = ("full-domain", "datafly")
ALL = [
    (method, form, k)
    for method, form, k in product(METHODS, FORMS, (2, 3))
    if ONLY_K.get(method, k) == k and (method not in WHOLE_COLUMNS or form == "generalize")
]
EACH = [one for one in ALL if one[2] == 2 or one[0] == "triples" or one[:2] == ("mdav", "generalize")]
"""Every method and form, and both k for one."""
ROLES = {"name": "identifier", "note": "other", "ill": "sensitive", "age": "quasi"}


def policy(method: str, form: str, k: int, **changes: Any) -> dict[str, Any]:
    columns: dict[str, Any] = {name: {"role": role} for name, role in (ROLES | changes.pop("roles", {})).items()}
    columns["note"]["publish_rare"] = True  # each row has its own, by which it is followed
    # The search of `best` and `forest` has nothing to gain among equal records.
    return {"k": k, "method": method, "publication": form, "effort": 1, "columns": columns} | changes


def secret(number: int) -> Secret:
    return Secret(hashlib.sha256(f"row order {number}".encode()).digest())


def attacked(table: pl.DataFrame, asked: dict[str, Any], releases: Iterable[int]) -> dict[str, Tries]:
    """What an attacker gets who knows a list of names, or how the table was sorted, over several releases."""
    found: dict[str, list[Tries]] = {}
    for number in releases:
        released = shoal.anonymize(table, asked, secret=secret(number)).published.frame
        for order, places in product(("name", "note"), (beside, in_one_block_of(asked["k"]))):
            tries = names_beside(table, released, order, places)
            found.setdefault(f"{order}, {places.__qualname__}", []).append(tries)
    return {way: together(tries) for way, tries in found.items()}


def assert_at_chance(attack: Callable[[Iterable[int]], dict[str, Tries]], releases: int) -> None:
    """No way of guessing is more than three standard errors off chance.

    Of a thousand ways some are by chance alone, so one that is must show it again: on three times as many releases
    that were not looked at before.
    """
    found = attack(range(releases))
    assert all(tries.attempts > 400 for tries in found.values())
    if any(abs(tries.standard_errors) >= 3 for tries in found.values()):
        found = attack(range(100, 100 + 3 * releases))
    for way, tries in found.items():
        assert abs(tries.standard_errors) < 3, (way, tries.rate, tries.chance)


@pytest.mark.parametrize(("method", "form", "k"), EACH)
def test_who_comes_next_in_the_list_is_guessed_no_better_than_by_chance(method: str, form: str, k: int) -> None:
    assert_at_chance(partial(attacked, roster(), policy(method, form, k)), 1)


@pytest.mark.deep
@pytest.mark.parametrize(("method", "form", "k"), ALL)
def test_over_many_releases_too(method: str, form: str, k: int) -> None:
    assert_at_chance(partial(attacked, roster(seed=1), policy(method, form, k)), 12)


LATER = ("rounded", "top", "levels", "left out", "workbook")
"""What a release may have besides a method and a form."""


def with_later(part: str, table: pl.DataFrame, asked: dict[str, Any]) -> tuple[pl.DataFrame, dict[str, Any]]:
    """A table with such a part, and the policy that asks for it."""
    age = asked["columns"]["age"] | {"kind": "number"}
    if part == "rounded":
        age["round"] = 20
    elif part == "top":
        age |= {"top": 150, "bottom": 30}
    elif part == "levels":
        age |= {"hierarchy": {"widths": [20, 40]}, "least_level": 1}
    elif part == "left out":
        alone = pl.int_range(pl.len()) == 0  # nearer to nobody: a group with her costs more than to leave her out
        table = table.with_columns(age=pl.when(alone).then(5_000).otherwise("age"))
        asked = asked | {"max_suppressed": 0.02}
    return table, asked | {"columns": asked["columns"] | {"age": age}}


def as_recoded(part: str, table: pl.DataFrame) -> pl.DataFrame:
    """The ages by which a reader of the release knows the classes."""
    recoded = {
        "rounded": (pl.col("age") + 10) // 20 * 20,
        "top": pl.col("age").clip(30, 150),
        "levels": pl.col("age") // 20 * 20,
    }
    return table.with_columns(age=recoded.get(part, pl.col("age")))


def as_read(released: pl.DataFrame) -> pl.DataFrame:
    """Ages as numbers: a limit without its mark, and the lower end of a width."""
    bare = pl.col("age").cast(pl.String).str.replace("^[<>]=", "").str.replace(r"^\[([0-9]+), [0-9]+\)$", "$1")
    return released.with_columns(age=bare)


def attacked_later(part: str, method: str, form: str, folder: Path, releases: Iterable[int]) -> dict[str, Tries]:
    k = ONLY_K.get(method, 2)
    found: dict[str, list[Tries]] = {}
    for number in releases:
        table, asked = with_later(part, roster(seed=number), policy(method, form, k))
        release = shoal.anonymize(table, asked, secret=secret(number))
        released = release.published.frame
        if part == "left out":
            assert release.certificate.suppressed > 0
        if part == "workbook":
            release.write(folder / f"out{number}", format="xlsx")
            names, rows = workbook(folder / f"out{number}" / "release.xlsx")
            released = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
        known = as_recoded(part, table)
        for order, places in product(("name", "note"), (beside, in_one_block_of(k))):
            tries = names_beside(known, as_read(released), order, places)
            found.setdefault(f"{order}, {places.__qualname__}", []).append(tries)
    return {way: together(tries) for way, tries in found.items()}


def in_one_file(place: int, n: int) -> Sequence[int]:
    """Where a table is in several files: whoever of my class is in mine."""
    return [other for other in range(n) if other != place]


def by_files(table: pl.DataFrame, files: Sequence[pl.DataFrame]) -> dict[str, Tries]:
    """What an attacker gets who takes those in her own file for her neighbors, or reads the files one by one."""
    found = {}
    for order in ("name", "note"):
        found[f"{order}, in one file"] = together(names_beside(table, one, order, in_one_file) for one in files)
        found[f"{order}, one by one"] = names_beside(table, pl.concat(files), order, beside)
    return found


def attacked_in_files(method: str, folder: Path, releases: Iterable[int]) -> dict[str, Tries]:
    found: dict[str, list[Tries]] = {}
    for number in releases:
        table, out = roster(seed=number), folder / f"out{number}"
        release = shoal.anonymize(table, policy(method, "generalize", 2), secret=secret(number))
        release.write(out, format="parquet", rows_per_file=150)
        files = [pl.read_parquet(file) for file in sorted(out.glob("release-*.parquet"))]
        assert [one.height for one in files] == [150] * 4
        for way, tries in by_files(table, files).items():
            found.setdefault(way, []).append(tries)
    return {way: together(tries) for way, tries in found.items()}


def test_nor_by_the_file_in_which_a_row_is(tmp_path: Path) -> None:
    assert_at_chance(partial(attacked_in_files, "mdav", tmp_path), 1)


def test_files_cut_in_the_order_of_names_would_betray_it() -> None:
    table = roster()
    in_order = table.sort("name").select("age", "ill", "note")
    files = [in_order[start : start + 150].sample(fraction=1, shuffle=True, seed=1) for start in range(0, 600, 150)]
    found = by_files(table, files)
    assert found["name, in one file"].standard_errors > 5
    assert abs(found["note, in one file"].standard_errors) < 3


CUTS = [("auto", "generalize", 2), ("full-domain", "generalize", 2), ("datafly", "generalize", 2)]
"""Methods that leave rows out by themselves, within `max_suppressed`."""
OF_LATER = [
    (part, method, form)
    for part in LATER
    for method, form, k in (CUTS if part == "left out" else ALL)
    if k == ONLY_K.get(method, 2)
    and not (part == "levels" and (form != "generalize" or method == "optimal"))
    and not (part in ("rounded", "top") and method in WHOLE_COLUMNS)
]
QUICK = (
    {("forest", form) for form in FORMS}
    | {("mdav", form) for form in FORMS}
    | {("auto", "generalize"), ("full-domain", "generalize")}
)


@pytest.mark.parametrize(("part", "method", "form"), [one for one in OF_LATER if one[1:] in QUICK])
def test_nor_in_a_table_that_was_recoded_or_cut_or_in_a_workbook(
    part: str, method: str, form: str, tmp_path: Path
) -> None:
    assert_at_chance(partial(attacked_later, part, method, form, tmp_path), 1)


@pytest.mark.deep
@pytest.mark.parametrize(("part", "method", "form"), [one for one in OF_LATER if one[1:] not in QUICK])
def test_nor_by_any_other_method(part: str, method: str, form: str, tmp_path: Path) -> None:
    assert_at_chance(partial(attacked_later, part, method, form, tmp_path), 2)


def published(table: pl.DataFrame, asked: dict[str, Any]) -> Counter[tuple[Any, ...]]:
    """The published quasi-identifiers, row by row, in no order."""
    frame = shoal.anonymize(table, asked, secret=secret(0)).published.frame
    kept = [name for name in frame.columns if name not in ("ill", "note", "who", "grade")]
    return Counter(frame.select(kept).rows())


def people(n: int = 90, *, seed: int = 3) -> pl.DataFrame:
    """Groups of different people, so that who is grouped with whom can be seen; some people have several rows."""
    chance = np.random.default_rng(seed)
    return roster(n, ages=6, seed=seed).with_columns(
        size=chance.integers(0, 6, n),
        who=pl.Series([f"W{number}" for number in chance.integers(0, 2 * n // 3, n)]),
    )


def lines_of_tables(table: pl.DataFrame, form: str) -> dict[str, tuple[pl.DataFrame, bool]]:
    """A release as it is, and two that betray a list of names; and whether an attack should say so."""
    release = shoal.anonymize(table, policy("mdav", form, 2), secret=secret(0))
    good = release.published.frame
    names = table["name"][release.order[release.published.rows]]
    sorted_ = good.with_columns(names.alias("by")).sort("age", "by").drop("by")
    # Pairs of neighbors, one after the other in any order, as they stood where ties were broken by names.
    pairs = good.with_columns(names.alias("by")).sort("age", "by").with_columns(pair=pl.int_range(pl.len()) // 2)
    chance = np.random.default_rng(1).permutation(len(good))
    pairs = pairs.with_columns(place=pl.Series(chance)[pairs["pair"]]).sort("age", "place").select(good.columns)
    return {"right": (good, False), "sorted": (sorted_, True), "pairs": (pairs, True)}


@pytest.mark.parametrize("form", ["generalize", "aggregate", "suppress"])
def test_shoal_attack_finds_an_order_of_names_and_none_in_a_right_release(form: str) -> None:
    table = roster()
    asked = policy("mdav", form, 2)
    for kind, (released, betrays) in lines_of_tables(table, form).items():
        found = shoal.attack(table, released, asked)
        by_order = {one.order: one for one in found.row_order}
        assert list(by_order) == ["the input", "all cells", "name"]
        assert found.exceeds == by_order["name"].exceeds == betrays, (kind, by_order)
        assert not by_order["the input"].exceeds
        named = by_order["name"]
        assert named.attempts > 500
        assert (named.rate > 0.2) == betrays
        assert named.chance == pytest.approx(0.04, abs=0.01)
        assert "order of rows" in str(found)


def test_shoal_attack_finds_groups_of_neighbors_in_centers() -> None:
    table = roster()
    asked = policy("mdav", "centers", 2)
    good = shoal.anonymize(table, asked, secret=secret(0)).published.frame
    assert not shoal.attack(table, good, asked).exceeds
    neighbors = table.sort("age", "name").with_columns(pair=pl.int_range(pl.len()).over("age") // 2)
    texts = pl.concat_str(pl.col("ill"), pl.lit(": 1")).sort().str.join("; ")
    groups = (
        neighbors.group_by("age", "pair")
        .agg(people=pl.col("ill").n_unique(), ill=texts)
        .filter(pl.col("people") == 2)
    )
    betraying = groups.select("age", "people", "ill").sample(fraction=1, shuffle=True, seed=1)
    found = shoal.attack(table, betraying, {**asked, "columns": {**asked["columns"], "note": {"role": "identifier"}}})
    named = next(one for one in found.row_order if one.order == "name")
    assert named.exceeds
    assert named.rate > 0.4


def test_without_equals_or_sensitive_columns_nobody_reads_an_order() -> None:
    table = pl.DataFrame({"age": range(30), "ill": ["flu", "cold"] * 15})
    asked: dict[str, Any] = {"k": 3, "columns": {"age": {"role": "quasi"}, "ill": {"role": "sensitive"}}}
    assert shoal.attack(table, shoal.anonymize(table, asked).table, asked).row_order == ()
    asked["columns"]["ill"] = {"role": "identifier"}
    assert shoal.attack(table, shoal.anonymize(table, asked).table, asked).row_order == ()


def rearranged(table: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """These columns permuted, everybody under another number, and the rows in another order."""
    chance = np.random.default_rng(8)
    numbers = table["who"].unique().sort()
    return table.with_columns(
        *(table[name][chance.permutation(len(table))] for name in names),
        pl.col("who").replace_strict(dict(zip(numbers, chance.permutation(numbers), strict=True))),
    ).sample(fraction=1, shuffle=True, seed=8)


@pytest.mark.parametrize(
    ("method", "form", "k", "who"),
    [
        (*one, who)
        for one, who in product(ALL, ("identifier", "person"))
        if (one[2] == 3 or one[0] == "pairs") and (who == "person" or one[1] == "generalize")
    ],
)
def test_groups_do_not_depend_on_columns_of_which_nothing_is_asked(method: str, form: str, k: int, who: str) -> None:
    """Permuting names, notes and illnesses, or giving everybody another number, moves nobody."""
    table = people()
    size = "identifier" if method == "optimal" else "quasi"  # which takes one column
    asked = policy(method, form, k, roles={"size": size, "who": who})
    assert published(rearranged(table, ["ill", "name", "note"]), asked) == published(table, asked)


@pytest.mark.parametrize("form", [*FORMS[:2], *(pytest.param(form, marks=pytest.mark.deep) for form in FORMS[2:])])
@pytest.mark.parametrize("method", ["auto", "gather", "cellular", "mondrian", "mdav"])
def test_nor_where_l_and_t_are_asked_of_another_column(method: str, form: str) -> None:
    """And where rows may be left out, and of labels."""
    table = people(150).with_columns(
        ward=pl.col("size").cast(pl.String),
        grade=pl.Series(np.random.default_rng(4).choice(["a", "b", "c"], 150)),
    )
    asked = policy(
        method, form, 3, roles={"who": "person", "ward": "quasi", "size": "identifier"}, max_suppressed=0.1
    )
    wish = {"role": "sensitive", "diversity": {"l": 2}, "closeness": {"t": 0.6}}
    asked["columns"]["grade"] = wish
    assert published(rearranged(table, ["ill", "name", "note"]), asked) == published(table, asked)


@pytest.mark.parametrize("join", [False, True])
def test_nor_where_a_plan_is_applied(join: bool) -> None:
    table, june = people(), people(120, seed=9)
    plan = shoal.anonymize(table, policy("forest", "generalize", 3, roles={"size": "quasi", "who": "person"})).plan
    found = [
        shoal.apply(plan, one, join=join, max_suppressed=0.9, secret=secret(0)).published.frame
        for one in (june, rearranged(june, ["ill", "name", "note"]))
    ]
    assert Counter(found[0].select("age", "size").rows()) == Counter(found[1].select("age", "size").rows())
    everybody = roster()
    plan = shoal.anonymize(everybody, policy("forest", "generalize", 2)).plan
    ways = list(product(("name", "note"), (beside, in_one_block_of(2))))

    def applied(numbers: Iterable[int]) -> dict[str, Tries]:
        made = [shoal.apply(plan, everybody, join=join, secret=secret(one)).published.frame for one in numbers]
        return {
            f"{order} {place}": together(names_beside(everybody, one, order, places) for one in made)
            for place, (order, places) in enumerate(ways)
        }

    assert_at_chance(applied, 2)


def test_nothing_beside_the_table_has_the_order_of_the_input(tmp_path: Path) -> None:
    """A hierarchy made from the table may list values as they came; published lines are sorted, and still read."""
    # The commas of two of them would be taken for separators.
    lines = ["gout;joints;any", "flu, mild, I, a;lungs;any", "flu, bad, very, b;lungs;any", "ulcer;belly;any"]
    table = roster(60, ages=3).with_columns(ill=pl.Series([lines[place % 4].split(";")[0] for place in range(60)]))
    public = []
    for folder, listed in (("one", lines), ("two", lines[::-1])):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "ills.csv").write_text("\n".join(listed) + "\n", encoding="utf-8")
        asked = policy("forest", "generalize", 3, closeness={"t": 0.9, "distance": "hierarchical"})
        asked["columns"]["ill"]["hierarchy"] = {"file": str(tmp_path / folder / "ills.csv")}
        shoal.anonymize(table, asked, secret=secret(0)).write(tmp_path / folder / "out")
        assert shoal.verify(tmp_path / folder / "out").holds
        public.append({file.name: file.read_bytes() for file in (tmp_path / folder / "out").iterdir()})
    assert public[0] == public[1]
    found = public[0]["ills.csv"].decode().splitlines()
    assert found == ["gout;joints;any", "ulcer;belly;any", "flu, bad, very, b;lungs;any", "flu, mild, I, a;lungs;any"]


def test_categories_of_a_pandas_frame_do_not_keep_the_order_of_the_input() -> None:
    pandas = pytest.importorskip("pandas")
    table = roster(60, ages=3).to_pandas()
    for ordered in (False, True):
        kinds = [f"ill {place}" for place in (9, 1, 5, 3)]
        ills = pandas.Categorical([kinds[place % 4] for place in range(60)], categories=kinds, ordered=ordered)
        released = shoal.anonymize(table.assign(ill=ills), policy("mdav", "generalize", 3)).table
        assert list(released["ill"].cat.categories) == (kinds if ordered else sorted(kinds))
