"""The content: gathered from the steps as they are, the map of the groups, the advice."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from shoal.certify.certificate import Certificate
from shoal.partition.methods.choose import Choice
from shoal.partition.result import Partition
from shoal.policy import Policy
from shoal.report import notebook
from shoal.report.advice import advise
from shoal.report.charts.projection import project
from shoal.report.content import content, findings_of, sample
from shoal.report.cost_text import distance
from shoal.report.limits_text import limits
from shoal.report.verdict_text import also_held, verdict
from shoal.results.facts import facts_of
from shoal.space.space import TREE, Axis, Space
from tests.report import samples

PARTITION = Partition(
    labels=np.array([0, 0, 1, 1, -1]),
    method="forest",
    objective="generalization",
    cost=3.0,
    lower_bound=2.0,
    ratio_proved=Fraction(9),
    theorem="FOREST-2",
    notes=("stopped early",),
)
CHOICE = Choice("forest", "generalization", "generalize", "sex has labels")


def test_facts_carry_what_the_partition_proved() -> None:
    found = facts_of(CHOICE, PARTITION, ("read",))
    assert (found.n_groups, found.ratio_seen, found.ratio_proved) == (2, 1.5, Fraction(9))
    assert (found.theorem, found.reason, found.notes) == ("FOREST-2", "sex has labels", ("read", "stopped early"))


def test_content_is_gathered_from_the_steps() -> None:
    made = content(
        source="hospital.csv",
        policy=samples.policy(),
        findings=samples.findings(),
        checked="the released table",
        groups=facts_of(CHOICE, PARTITION),
        form="generalize",
        released=pl.DataFrame({"age": ["[1, 2]", None]}),
        loss=samples.loss(),
        risk=samples.risk(),
        recheck="shoal verify out/release.csv",
        seconds={"read": 0.1, "groups": 0.2},
    )
    assert made.sample == (("[1, 2]",), ("",))
    assert made.seconds == (("read", 0.1), ("groups", 0.2))
    assert made.holds
    assert not replace(made, findings=findings_of(samples.broken_findings())).holds


def test_claims_are_told_in_words() -> None:
    k, diverse, close = findings_of(samples.findings())
    assert (k.criterion, k.asked, k.found) == ("k-anonymity", "at least 5 rows", "5")
    assert k.sentence == "Every group has at least 5 records"
    assert (diverse.criterion, diverse.asked, diverse.found) == (
        "l-diversity of diagnosis",
        "at least 3 (recursive, c = 2)",
        "3",
    )
    assert (close.asked, close.found) == ("at most 0.5 (ordered distance)", "0.334")


def test_a_certificate_tells_the_same_claims() -> None:
    found = samples.findings()
    written = Certificate(
        claims=found.claims,
        form="generalize",
        rows=40,
        n_groups=8,
        suppressed=0,
        method="forest",
        objective="generalization",
        ratio_proved=Fraction(9),
        theorem="FOREST-2",
        published_sha256="0",
        policy={},
    )
    assert findings_of(written) == findings_of(found)
    assert "Every group has at least 5 records." in notebook.findings_html(written)


def test_all_that_is_wrong_is_told_once() -> None:
    found = findings_of(samples.broken_findings())
    assert [(f.criterion, f.holds, f.touched) for f in found] == [("k-anonymity", False, 4), ("columns", False, 40)]
    assert verdict(found) == (
        "k-anonymity: 1 of 8 groups (4 records) miss 5; Column name is an identifier. Do not publish this."
    )
    assert also_held(found) == ""


def test_of_many_failures_three_are_told() -> None:
    found = [replace(samples.content().findings[0], holds=False, failure=f"F{i}") for i in range(5)]
    assert verdict(found) == "F0; F1; F2; 2 more. Do not publish this."
    assert verdict([]) == "There are no requirements, so nothing was checked."


def test_the_sample_is_five_rows_of_bearable_width() -> None:
    header, rows = sample(pl.DataFrame({f"c{i}": ["x" * 100] * 9 for i in range(50)}))
    assert len(header) == 30
    assert len(rows) == 5
    assert rows[0][0] == "x" * 39 + "…"


def test_the_sample_comes_from_everywhere() -> None:
    assert sample(pl.DataFrame({"group": list(range(100))}))[1] == (("0",), ("20",), ("40",), ("60",), ("80",))
    assert sample(pl.DataFrame({"group": [7]}))[1] == (("7",),)
    assert sample(pl.DataFrame({"group": []}))[1] == ()


@pytest.mark.parametrize(
    ("seen", "proved", "expected"),
    [
        (1.0, None, "has a smaller squared error: measured so, this one is the best possible."),
        (
            1.3001,
            Fraction(9),
            "At most 1.31 times the smallest possible squared error; the theorem alone guarantees 9.",
        ),
        (1.3, None, "No theorem guarantees a ratio for this method."),
        (None, Fraction(2), "At most 2 times the smallest possible squared error, by theorem GATHER-1."),
        (None, None, "there is neither a theorem nor a bound."),
    ],
)
def test_the_distance_from_the_best_claims_what_is_known(
    seen: float | None, proved: Fraction | None, expected: str
) -> None:
    found = replace(
        samples.content().groups,
        objective="sse",
        cost=seen,
        lower_bound=1.0,
        ratio_proved=proved,
        theorem="GATHER-1",
    )
    assert expected in distance(found)


def test_the_best_choice_of_levels_is_not_called_the_best_release() -> None:
    groups = replace(
        samples.content().groups,
        objective="full-domain ncp",
        lower_bound=0.0,
        ratio_proved=None,
        theorem="LATTICE-1",
    )
    assert "No other choice of one level per column" in distance(groups)
    assert "may lose less" in distance(groups)


def test_what_is_not_protected_depends_on_what_was_asked() -> None:
    plain = samples.content()
    named = {what for what, _ in limits(plain)}
    assert "Groups that differ from the whole table" in named
    assert "Groups with one sensitive value" not in named
    assert any(one.startswith("Columns published as they are: ") for one in named)
    unasked = plain.policy.model_copy(update={"diversity": None})
    alone = replace(plain.risk.after.sensitive[0], homogeneous_people=41)
    risk = replace(plain.risk, after=replace(plain.risk.after, sensitive=(alone,)))
    found = dict(limits(replace(plain, policy=unasked, risk=risk)))
    assert "Here this affects 41 people." in found["Groups with one sensitive value"]
    assert "Groups that differ from the whole table" not in found


@pytest.mark.parametrize(("form", "told"), [("generalize", True), ("aggregate", True), ("centers", False)])
def test_rows_of_one_person_can_be_put_together_where_rows_are_published(form: str, told: bool) -> None:
    columns = {"patient": {"role": "person"}, "age": {"role": "quasi"}}
    content = replace(samples.content(), policy=Policy.parse({"columns": columns}), form=form)
    named = {what for what, _ in limits(content)}
    assert ("Rows of one person" in named) == told
    assert "People with several rows" not in named


def blobs() -> tuple[Space, np.ndarray]:
    noise = np.random.default_rng(0)
    labels = np.repeat(np.arange(40), 10)
    return Space.from_points(noise.normal(size=(40, 3))[labels] * (9, 3, 1) + noise.normal(size=(400, 3))), labels


def test_the_map_shows_the_two_directions_of_most_difference() -> None:
    space, labels = blobs()
    found = project(space, labels)
    assert found is not None
    centered = space.coordinates - space.coordinates.mean(axis=0)
    spectrum = np.linalg.svd(centered, compute_uv=False) ** 2
    np.testing.assert_allclose(found.explained, spectrum[:2] / spectrum.sum())
    np.testing.assert_allclose((found.records**2).sum(axis=0), spectrum[:2])
    np.testing.assert_array_equal(np.sort(found.sizes), np.full(40, 10))


def test_the_map_does_not_depend_on_the_order_of_rows() -> None:
    space, labels = blobs()
    order = np.random.default_rng(1).permutation(400)
    found, shuffled = project(space, labels, most=100), project(space.take(order), labels[order], most=100)
    assert found is not None
    assert shuffled is not None
    assert len(found.records) == 100
    np.testing.assert_allclose(found.records, shuffled.records, atol=1e-9)
    np.testing.assert_allclose(found.groups, shuffled.groups, atol=1e-9)


def test_suppressed_records_belong_to_no_group_of_the_map() -> None:
    space, labels = blobs()
    labels = np.where(labels == 3, -1, labels)
    labels = np.where(labels > 3, labels - 1, labels)
    found = project(space, labels)
    assert found is not None
    assert found.sizes.sum() == 390


def test_the_map_leaves_labels_out() -> None:
    space, labels = blobs()
    tree = Axis("job", TREE, np.zeros((5, 2), dtype=np.int32), np.array([0.0, 100.0]))
    jobs = np.random.default_rng(2).integers(0, 5, len(labels)).astype(float)
    mixed = Space(np.column_stack([jobs, space.coordinates]), (tree, *space.axes))
    found, plain = project(mixed, labels), project(space, labels)
    assert found is not None
    assert plain is not None
    np.testing.assert_allclose(found.records, plain.records)
    assert project(Space(mixed.coordinates[:, :2], mixed.axes[:2]), labels) is None


@pytest.mark.parametrize("points", [np.zeros((4, 2)), np.arange(4.0)[:, None], np.zeros((0, 2))])
def test_there_is_no_map_where_nothing_spreads(points: np.ndarray) -> None:
    assert project(Space.from_points(points), np.zeros(len(points), dtype=np.int64)) is None


def test_the_costliest_column_is_named_with_a_remedy() -> None:
    plain = samples.content()
    advice = advise(plain.policy, plain.loss, replace(plain.groups, cost=1.2, lower_bound=1.0))
    assert advice == (
        "occupation has the largest share of the loss, 38.6%. With a hierarchy for it, groups would be published as "
        "a broader value instead of a list.",
    )


def test_advice_follows_the_numbers() -> None:
    plain = samples.content()
    equal = tuple(replace(c, ncp=0.6) for c in plain.loss.columns)
    loss = replace(plain.loss, columns=equal, gcp=0.6, c_avg=2.0, average_class_size=10.0)
    policy = plain.policy.model_copy(update={"max_suppressed": 0.0})
    advice = " ".join(advise(policy, loss, replace(plain.groups, cost=2.0, lower_bound=1.0)))
    assert "has the largest share" not in advice
    assert "Groups have 10 records on average, where k = 5 is required. A weaker l or t" in advice
    assert "allows up to 50% less cost" in advice
    assert "A small max_suppressed" in advice
    assert "There are 5 quasi-identifiers." in advice
    calm = replace(plain.loss, columns=equal, c_avg=1.0, gcp=0.1)
    assert advise(policy, calm, replace(plain.groups, cost=1.0, lower_bound=1.0)) == ()
