"""A column of labels published in classes, with other quasi-identifiers, all the way through."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import shoal
from shoal import measure
from shoal.errors import InfeasibleError, ParameterError, SchemaError
from tests.fixed_secret import SECRET

NAMES = [f"{first}{rest}" for first in "ABCDEFGHIJKL" for rest in ("aker", "son", "ell", "ing", "ott")]


def people(n: int = 600, seed: int = 0) -> pl.DataFrame:
    """Surnames of very different frequency, some missing."""
    rng = np.random.default_rng(seed)
    share = 1 / np.arange(1, len(NAMES) + 1)
    surname = [None if x == len(NAMES) - 1 else NAMES[x] for x in rng.choice(len(NAMES), n, p=share / share.sum())]
    return pl.DataFrame(
        {
            "surname": pl.Series(surname, dtype=pl.String),
            "age": rng.integers(18, 90, n),
            "ill": rng.choice(["flu", "cold", "none"], n),
        }
    )


def settings(**changes) -> dict:
    surname = {"role": "quasi", "classes": "k", "publish_rare": True} | changes.pop("surname", {})
    columns = {"surname": surname, "age": {"role": "quasi"}, "ill": {"role": "sensitive"}}
    return {"k": 5, "seed": 1, "columns": columns} | changes


@pytest.fixture(scope="module")
def release() -> shoal.Release:
    return shoal.anonymize(people(), settings(), secret=SECRET)


@pytest.fixture(scope="module")
def written(release, tmp_path_factory):
    out = tmp_path_factory.mktemp("classes") / "out"
    release.write(out)
    return out


def legend_of(out) -> dict[str | None, list]:
    told = json.loads((out / "legend.json").read_text())
    return {one["class"]: one["labels"] for one in told["surname"]}


def test_every_cell_is_a_class_of_the_legend_or_a_set_of_them(release, written):
    legend = legend_of(written)
    cells = set(release.table["surname"])
    assert any(cell in legend for cell in cells)
    for cell in cells:
        inside = [cell] if cell in legend else [None if c == "null" else c for c in cell[1:-1].split(", ")]
        assert all(one in legend for one in inside)


def test_every_label_is_in_one_class_of_at_least_k_people(written):
    legend, counts = legend_of(written), people()["surname"].value_counts()
    held = dict(counts.iter_rows())
    assert sorted(map(str, (x for own in legend.values() for x in own))) == sorted(map(str, held))
    assert min(sum(held[label] for label in own) for own in legend.values()) >= 5


def test_no_label_of_a_larger_class_is_published_alone(release, written):
    larger = {label for own in legend_of(written).values() if len(own) > 1 for label in own}
    for cell in set(release.table["surname"]) - {None}:
        inside = cell[1:-1].split(", ") if cell.startswith("{") else [cell]
        assert not larger & set(inside)


def test_a_stranger_verifies_the_release_with_its_legend(written):
    assert shoal.verify(written).holds


def test_without_its_legend_a_written_release_does_not_hold(written, tmp_path):
    for name in ("release.csv", "certificate.json", "codebook.html", "datapackage.json"):
        (tmp_path / name).write_bytes((written / name).read_bytes())
    found = shoal.verify(tmp_path)
    assert {failure.check for failure in found.failures} == {"folder", "legend", "codebook"}


@pytest.mark.parametrize(
    ("break_it", "told"),
    [
        (lambda classes: classes[0]["labels"].append(classes[1]["labels"][0]), "in more than one class"),
        (lambda classes: classes[-1].update({"class": classes[0]["class"]}), "share a name"),
        (lambda classes: classes[0].update({"class": "the rich"}), "a name that their labels do not give them"),
        (lambda classes: classes.pop(0), "values that the legend does not explain"),
    ],
)
def test_a_legend_that_was_tampered_with_is_refused(written, tmp_path, break_it, told):
    for name in ("release.csv", "certificate.json"):
        (tmp_path / name).write_bytes((written / name).read_bytes())
    legend = json.loads((written / "legend.json").read_text())
    break_it(legend["surname"])
    (tmp_path / "legend.json").write_text(json.dumps(legend))
    found = shoal.verify(tmp_path)
    assert not found.holds
    assert any(told in failure.message for failure in found.failures)
    values = {str(name) for name in people()["surname"].unique() if name}
    assert not any(value in failure.message for failure in found.failures for value in values)


def test_what_only_suppressed_rows_hold_is_not_in_the_legend():
    table = people(300, seed=3)
    release = shoal.anonymize(table, settings(max_suppressed=0.2, method="gather", publication="generalize"))
    kept = table[release.order[release.published.rows]]
    assert release.partition.n_suppressed > 0
    told = {label for _, own in release.published.legends["surname"] for label in own}
    assert told == set(kept["surname"])


def test_larger_classes_are_asked_for_by_number():
    release = shoal.anonymize(people(), settings(surname={"classes": 100}))
    assert release.recodings["surname"].people.min() >= 100
    assert len(release.published.legends["surname"]) <= 6


def test_with_a_person_column_classes_count_people():
    table = people(400).with_columns(pl.Series("who", np.repeat(np.arange(200), 2)))
    columns = settings()["columns"] | {"who": {"role": "person"}}
    release = shoal.anonymize(table, settings(columns=columns))
    recoding = release.recodings["surname"]
    counted = table.select("who", of=recoding.classes(table["surname"])).unique().group_by("of").len().sort("of")
    assert recoding.people.tolist() == counted["len"].to_list()
    assert recoding.people.min() >= 5
    assert recoding.ratio_proved is None  # the theorem is on weights that add up


def test_somebody_with_two_labels_of_a_class_is_one_person_of_it():
    """Ten people with two labels of their own each: the rows of any five labels are those of three people."""
    table = pl.DataFrame({"name": [f"n{row:02d}" for row in range(20)], "who": np.repeat(np.arange(10), 2)})
    columns = {"name": {"role": "quasi", "classes": "k", "publish_rare": True}, "who": {"role": "person"}}
    recoding = shoal.anonymize(table, {"k": 5, "columns": columns}).recodings["name"]
    counted = table.select("who", of=recoding.classes(table["name"])).unique().group_by("of").len().sort("of")
    assert recoding.people.tolist() == counted["len"].to_list()
    assert recoding.people.min() >= 5


def test_codes_written_as_numbers_are_labels_here():
    table = people(200).with_columns(pl.col("age").alias("surname"))
    release = shoal.anonymize(table, settings())
    assert release.policy.columns["surname"].kind == "label"
    assert release.findings.holds


def test_suppression_hides_where_a_group_has_several_classes():
    release = shoal.anonymize(people(), settings(publication="suppress"))
    names = {name for name, _ in release.published.legends["surname"]}
    assert set(release.table["surname"]) <= names | {"*"}


def test_the_loss_is_about_classes_and_what_these_lose_is_lost_by_recoding(release):
    """As every recoding: groups are made of classes, and a class of several labels is not exact."""
    surname = next(column for column in release.loss.columns if column.name == "surname")
    assert 0 < surname.ncp < 1
    (column,) = (one for one in release.published.columns if one.name == "surname")
    class_of = {label: place for place, (_, labels) in enumerate(column.legend) for label in labels}
    for group in range(20):
        start = column.member_start[column.cell[group]]
        members = column.members[start : column.member_start[column.cell[group] + 1]]
        n_classes = len({class_of[column.domain[code]] for code in members})
        assert column.loss[group] == (n_classes / len(column.legend) if n_classes > 1 else 0)
    (recoded,) = release.loss.recoded
    sizes = {label: len(labels) for _, labels in column.legend for label in labels}
    shares = [sizes[name] / len(column.domain) if sizes[name] > 1 else 0 for name in people()["surname"]]
    assert recoded.lost == pytest.approx(np.mean(shares))
    assert (recoded.name, recoded.classes) == ("surname", len(column.legend))
    exact = [sizes[name] == 1 for name in people()["surname"]]
    assert surname.exact <= np.mean(exact)


def test_the_report_draws_the_sizes_of_the_classes(release):
    page = release.to_html()
    assert "Classes of surname" in page
    assert "required: at least 5." in page


def test_an_attacker_with_the_legend_does_no_better_than_k_allows(release, written):
    found = shoal.attack(people(), written)
    assert not found.exceeds
    # Every original fits the classes that it is in: the legend is read as it was written.
    ordered = people()[release.order]
    known = measure.attack(ordered, release.policy, release.published, release.partition.labels)
    assert found.full_join.rate == pytest.approx(known.full_join.rate)


def test_an_attack_without_the_legend_says_what_is_missing(release):
    with pytest.raises(ParameterError, match="there is no legend"):
        shoal.attack(people(), release.table, settings())


def test_k_that_changes_in_a_comparison_changes_the_classes():
    trials = shoal.compare(people(), settings(), k=[5, 50], secret=SECRET).trials
    assert trials[0].loss < trials[1].loss
    assert trials[1].loss == shoal.anonymize(people(), settings(k=50), secret=SECRET).loss.gcp


def test_the_order_of_rows_changes_no_byte(written, tmp_path):
    shuffled = people().sample(fraction=1, shuffle=True, seed=9)
    shoal.anonymize(shuffled, settings(), secret=SECRET).write(tmp_path / "out")
    for name in ("release.csv", "legend.json", "certificate.json"):
        assert (tmp_path / "out" / name).read_bytes() == (written / name).read_bytes()


def test_a_plan_keeps_the_classes_and_their_names_for_the_next_table(release, written, tmp_path):
    plan = written.with_name("out.private") / "plan.json"
    again = shoal.apply(plan, people(), seed=3)
    again.write(tmp_path / "again")
    assert legend_of(tmp_path / "again") == legend_of(written)
    assert set(again.table["surname"]) <= set(release.table["surname"])
    assert shoal.verify(tmp_path / "again").holds
    other = people(900, seed=5).filter(pl.col("age") >= 20)
    joined = shoal.apply(release.plan, other, max_suppressed=0.9, join=True, seed=3)
    joined.write(tmp_path / "joined")
    assert shoal.verify(tmp_path / "joined").holds
    assert "Classes of surname" not in joined.to_html()  # their sizes are those of another table


@pytest.mark.parametrize("method", ["mondrian", "gather", "forest"])
def test_classes_go_with_every_method_that_generalizes_groups(method):
    release = shoal.anonymize(people(), settings(method=method, publication="generalize"))
    assert release.findings.holds
    assert release.recodings["surname"].people.min() >= 5


@pytest.mark.parametrize("method", ["datafly", "full-domain"])
def test_methods_of_levels_are_refused(method):
    with pytest.raises(ParameterError, match=f"is to be published in classes, and method={method} has none"):
        shoal.anonymize(people(50), settings(method=method))


def test_forms_without_classes_are_refused():
    with pytest.raises(ParameterError, match="is to be published in classes, and publication=centers has none"):
        shoal.anonymize(people(50), settings(method="gather"))


@pytest.mark.parametrize("surname", [{"kind": "number"}, {"hierarchy": {"prefix": True}}, {"role": "sensitive"}])
def test_classes_belong_to_labels(surname):
    with pytest.raises(ParameterError, match="classes belong to a quasi-identifier of labels"):
        shoal.anonymize(people(50), settings(surname=surname))


def test_more_people_than_there_are_cannot_be_in_a_class():
    with pytest.raises(InfeasibleError, match="surname: classes of at least 90 people need as many; there are 50"):
        shoal.anonymize(people(50), settings(surname={"classes": 90}))


def test_classes_are_asked_for_by_a_flag_too():
    asked = {"quasi": ["surname", "age"], "sensitive": ["ill"], "k": 5, "seed": 1, "publish_rare": "surname"}
    by_name = shoal.anonymize(people(), **asked, classes=["surname"])
    assert by_name.recodings["surname"].least == 5
    assert shoal.anonymize(people(), **asked, classes={"surname": 60}).recodings["surname"].least == 60
    with pytest.raises(SchemaError, match="the classes of town have no column"):
        shoal.anonymize(people(), **asked, classes="town")
