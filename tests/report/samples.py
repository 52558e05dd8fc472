"""Made-up contents for the report's tests: a hospital's table of 2,000 people, and one with hostile names."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from shoal.certify.facts import Facts
from shoal.certify.findings import Claim, Failure, Findings
from shoal.measure.attack_result import Attack, Attacks
from shoal.measure.loss_result import Accuracy, ColumnLoss, Correlation, Histogram, Loss
from shoal.measure.risk_result import AtRisk, Bar, Exposure, Risk, SensitiveRisk, Singled, SinglingColumn
from shoal.policy import Kind, Policy, Role
from shoal.report.charts import Projection
from shoal.report.content import Content, Finding, Trial
from shoal.roles.table_profile import ColumnProfile, Profile, RiskBefore
from shoal.roles.uniqueness import Combination, Uniqueness

HOSTILE = '<script>alert("1")</script>\x1b[31m&\u202e'


def policy() -> Policy:
    return Policy.parse(
        {
            "k": 5,
            "diversity": {"l": 2},
            "max_suppressed": 0.01,
            "columns": {
                "name": {"role": "identifier"},
                "age": {"role": "quasi", "kind": "number"},
                "admitted": {"role": "quasi", "kind": "date"},
                "sex": {"role": "quasi", "kind": "label"},
                "postcode": {"role": "quasi", "hierarchy": {"prefix": True}, "kind": "hierarchy"},
                "occupation": {"role": "quasi", "kind": "label"},
                "diagnosis": {"role": "sensitive"},
                "ward": {"role": "other"},
            },
        }
    )


def column(name: str, kind: str, ncp: float, histogram: Histogram) -> ColumnLoss:
    return ColumnLoss(
        name=name,
        kind=kind,
        ncp=ncp,
        information=min(1.0, 1.5 * ncp),
        exact=1 - min(1.0, 2 * ncp),
        sse_ratio=None if histogram.edges is None else ncp / 2,
        level=None,
        n_levels=None,
        entropy_bits=1.25,
        entropy_most=4.1,
        entropy_ratio=0.3,
        mean_before=None if histogram.edges is None else sum(histogram.edges) / len(histogram.edges),
        mean_after=None if histogram.edges is None else sum(histogram.edges) / len(histogram.edges) + 0.21,
        variance_before=None if histogram.edges is None else 310.0,
        variance_after=None if histogram.edges is None else 288.5,
        distance=0.04,
        distance_kind="kolmogorov" if histogram.edges is not None else "total variation",
        suppressed_cells=9,
        histogram=histogram,
    )


def columns() -> tuple[ColumnLoss, ...]:
    noise = np.random.default_rng(7)
    ages = np.histogram(np.clip(noise.normal(54, 19, 4000), 18, 97), bins=16, range=(18, 98))[0] / 4000
    shifted = 0.8 * ages + 0.2 * np.roll(ages, 1)
    days = noise.dirichlet(np.full(18, 9.0))
    return (
        column(
            "age",
            "number",
            0.112,
            Histogram(
                edges=tuple(np.linspace(18, 98, 17).tolist()),
                before=tuple((ages * 0.98).tolist()),
                after=tuple((shifted * 0.98).tolist()),
                missing_before=0.02,
                missing_after=0.02,
            ),
        ),
        column(
            "admitted",
            "date",
            0.231,
            Histogram(
                edges=tuple(np.linspace(18_993, 20_089, 19).tolist()),
                before=tuple(days.tolist()),
                after=tuple((days * 0.7 + 0.3 / 18).tolist()),
            ),
        ),
        column(
            "sex",
            "label",
            0.05,
            Histogram(labels=("female", "male", None), before=(0.512, 0.478, 0.01), after=(0.51, 0.472, 0.018)),
        ),
        column(
            "postcode",
            "hierarchy",
            0.334,
            Histogram(
                labels=tuple(f"10{i}{i + 1}7" for i in range(9)),
                n_other=214,
                before=(0.11, 0.1, 0.09, 0.082, 0.07, 0.06, 0.05, 0.04, 0.03, 0.368),
                after=(0.1, 0.1, 0.091, 0.079, 0.073, 0.06, 0.047, 0.043, 0.034, 0.373),
            ),
        ),
        column(
            "occupation",
            "label",
            0.457,
            Histogram(
                labels=(
                    "nurse",
                    "teacher",
                    "machine operator in a paper mill and related trades",
                    "retired",
                    "student",
                ),
                before=(0.3, 0.25, 0.05, 0.33, 0.07),
                after=(0.26, 0.24, 0.11, 0.29, 0.1),
            ),
        ),
    )


def loss() -> Loss:
    return Loss(
        n_rows=2000,
        n_released=1991,
        n_classes=312,
        suppressed_rows=9,
        suppressed_cells=131,
        n_cells=10_000,
        gcp=0.2368,
        information=0.4127,
        exact=0.3105,
        sse_ratio=0.0812,
        generalization_cost=1804.5,
        generalization_level=0.301,
        entropy_bits=1.62,
        entropy_ratio=0.284,
        discernibility=31_417,
        average_class_size=6.38,
        c_avg=1.276,
        columns=columns(),
        correlation=Correlation(
            columns=("age", "admitted"),
            before=((1.0, 0.12), (0.12, 1.0)),
            after=((1.0, 0.1), (0.1, 1.0)),
            largest_change=0.02,
            largest_pair=("age", "admitted"),
        ),
        accuracy=Accuracy(
            target="diagnosis",
            task="classification",
            n_train=1400,
            n_test=600,
            baseline=0.31,
            original=0.52,
            release=0.48,
            kept=0.81,
        ),
    )


def exposure(sizes: tuple[Bar, ...], at_risk: tuple[float, ...], largest: float, unique: int) -> Exposure:
    return Exposure(
        n_people=2000,
        n_classes=sum(b.classes for b in sizes),
        smallest_class=int(sizes[0].low),
        prosecutor_max=largest,
        prosecutor_mean=largest * 0.8,
        journalist_max=largest,
        journalist_mean=largest * 0.8,
        marketer=largest * 0.8,
        unique_people=unique,
        unique_share=unique / 2000,
        class_sizes=sizes,
        at_risk=tuple(
            AtRisk(one_in=n, people=round(share * 2000), share=share)
            for n, share in zip((2, 3, 5, 10, 20, 50, 100), at_risk, strict=True)
        ),
        sensitive=(
            SensitiveRisk(
                name="diagnosis",
                l_kind="distinct",
                l_asked=2.0,
                l_smallest=2.0,
                l_classes=(Bar(low=2, high=2, classes=31, people=170),),
                homogeneous_people=0,
                t_distance="equal",
                t_asked=None,
                t_largest=0.61,
                t_mean=0.32,
                t_classes=(Bar(low=0.3, high=0.4, classes=31, people=170),),
            ),
        ),
    )


def risk() -> Risk:
    grouped = ((5, 118), (6, 81), (7, 48), (8, 31), (9, 22), (10, 7), (12, 3), (19, 2))
    alone = ((1, 1724), (2, 101), (3, 19), (4, 4))
    return Risk(
        unit="rows",
        population=None,
        before=exposure(bars(alone), (0.862, 0.963, 0.995, 1.0, 1.0, 1.0, 1.0), 1.0, 1724),
        after=exposure(bars(grouped), (0.0, 0.0, 0.0, 0.93, 1.0, 1.0, 1.0), 0.2, 0),
        singled=Singled(
            rows=1991,
            unique=1508,
            unique_sensitive=1102,
            tried=1508,
            isolated=1490,
            columns=(
                SinglingColumn(name="diagnosis", role="sensitive", alone=1102, without=640),
                SinglingColumn(name="ward", role="other", alone=640, without=1102),
            ),
        ),
    )


def bars(counts: tuple[tuple[int, int], ...]) -> tuple[Bar, ...]:
    return tuple(Bar(low=size, high=size, classes=n, people=size * n) for size, n in counts)


def projection() -> Projection:
    noise = np.random.default_rng(3)
    centers = noise.normal(size=(40, 2)) * (3, 1.4)
    records = np.repeat(centers, 50, axis=0) + noise.normal(size=(2000, 2)) * 0.5
    groups = records[:1991].reshape(-1, 11, 2).mean(axis=1)
    sizes = noise.integers(5, 14, len(groups))
    return Projection(records=records, groups=groups, sizes=sizes, explained=(0.41, 0.22))


def content() -> Content:
    return Content(
        source="hospital.csv",
        policy=policy(),
        findings=(
            Finding(
                criterion="k-anonymity",
                sentence="Every group has at least 5 people",
                asked="at least 5 rows per group",
                found="5",
                holds=True,
            ),
            Finding(
                criterion="l-diversity of diagnosis",
                sentence="Every group has at least 2 different values of diagnosis",
                asked="at least 2 (distinct)",
                found="2",
                holds=True,
            ),
            Finding(
                criterion="rows left out",
                sentence="At most 1% of the rows were left out",
                asked="at most 1%",
                found="0.45%",
                holds=True,
            ),
        ),
        checked="the released file release.csv",
        groups=Facts(
            method="forest",
            reason="sex has labels, so groups must generalize to little: forest, within a proved ratio of the best",
            objective="generalization",
            n_groups=312,
            cost=1804.5,
            lower_bound=1377.9,
            ratio_proved=Fraction(9),
            theorem="FOREST-2",
            notes=("12 groups were merged to meet l = 2 of diagnosis; this raised the cost by 3.1%.",),
        ),
        form="generalize",
        sample_header=("age", "admitted", "sex", "postcode", "occupation", "diagnosis", "ward"),
        sample=(
            ("[34, 38]", "[2023-02-01, 2023-04-17]", "female", "1023*", "{nurse, teacher}", "asthma", "B"),
            ("[34, 38]", "[2023-02-01, 2023-04-17]", "female", "1023*", "{nurse, teacher}", "fracture", "A"),
            ("[61, 66]", "[2022-11-03, 2023-01-29]", "*", "103**", "retired", "stroke", "C"),
            ("[61, 66]", "[2022-11-03, 2023-01-29]", "*", "103**", "retired", "pneumonia", "C"),
            ("[18, 21]", "[2024-05-02, 2024-12-20]", "male", "10***", "student", "fracture", "A"),
        ),
        loss=loss(),
        risk=risk(),
        advice=(
            "occupation costs most: 39% of all that is lost. A hierarchy for it would let groups share a broader job "
            "instead of a list.",
            "Raising the share of rows that may be left out from 1% to 2% would spare the groups around outliers.",
            "The sensitive column diagnosis forced 12 merges; without them the loss would be 3.1% lower.",
        ),
        projection=projection(),
        seconds=(("read", 0.031), ("points", 0.044), ("groups", 1.2812), ("publish", 0.09), ("check", 0.051)),
        recheck="shoal verify out/release.csv out/policy.toml",
        version="0.1.0",
    )


def hostile() -> Content:
    """The same with a name in every place that an attacker's file can reach."""
    plain = content()
    columns = tuple(replace(c, name=HOSTILE + c.name) for c in plain.loss.columns)
    labels = replace(
        columns[2].histogram, labels=(HOSTILE, "</svg><img src=http://evil.example/x onerror=alert(1)>", None)
    )
    columns = (*columns[:2], replace(columns[2], histogram=labels), *columns[3:])
    return replace(
        plain,
        source=HOSTILE,
        policy=Policy.parse(
            {
                "columns": {
                    HOSTILE: {"role": "quasi"},
                    "s" + HOSTILE: {"role": "sensitive"},
                    "o" + HOSTILE: {"role": "other"},
                }
            }
        ),
        findings=(
            Finding(criterion=HOSTILE, sentence=HOSTILE, asked=HOSTILE, found=HOSTILE, holds=False, touched=3),
        ),
        checked=HOSTILE,
        groups=replace(plain.groups, reason=HOSTILE, notes=(HOSTILE,)),
        sample_header=(HOSTILE,),
        sample=((HOSTILE,),),
        loss=replace(plain.loss, columns=columns),
        advice=(HOSTILE,),
        seconds=((HOSTILE, 1.0),),
        recheck=HOSTILE,
    )


def attacks() -> Attacks:
    nearest = Attack(
        name="nearest",
        known=("age", "sex"),
        attempts=2000,
        successes=219.0,
        rate=0.1095,
        worst=0.2,
        promise=0.2,
        exceeds=False,
    )
    join = replace(nearest, name="join", known=("age", "admitted", "postcode"), rate=0.17, worst=0.2)
    return Attacks(
        k=5,
        unit="rows",
        evidence="mapping",
        n_originals=2000,
        n_sampled=2000,
        n_subsets=26,
        n_subsets_possible=26,
        nearest=nearest,
        full_join=replace(join, known=("age", "admitted", "sex", "postcode", "occupation")),
        joins=(join,),
        worst_join=join,
        homogeneity=(replace(nearest, name="homogeneity", sensitive="diagnosis", rate=0.0, worst=0.0, promise=0.0),),
        exclusion=(replace(nearest, name="exclusion", sensitive="diagnosis", rate=0.1, worst=1.0, promise=None),),
        skewness=(replace(nearest, name="skewness", sensitive="diagnosis", rate=0.3, worst=0.61, promise=None),),
        singled=risk().singled,
        exceeds=False,
    )


def trials() -> tuple[Trial, ...]:
    return tuple(
        Trial(
            method=method,
            k=k,
            requirement="l = 2",
            groups=Facts(
                method=method,
                objective="generalization",
                n_groups=1900 // k,
                cost=1.2 + k / 20,
                lower_bound=1.0,
                ratio_proved=proved,
            ),
            suppressed_share=0.0045,
            loss=base * k**0.6,
            highest_risk=1 / k,
            mean_risk=0.85 / k,
            seconds=0.4 + k / 10,
        )
        for method, base, proved in (
            ("forest", 0.07, Fraction(9)),
            ("gather", 0.09, Fraction(2)),
            ("mdav", 0.066, None),
        )
        for k in (2, 3, 5, 10, 25, 50)
    )


def profile() -> Profile:
    def one(name: str, role: Role, kind: Kind | None, reason: str) -> ColumnProfile:
        return ColumnProfile(
            name=name,
            type="String",
            distinct=812,
            missing=20,
            unique_rows=300,
            unique_share=0.15,
            largest_share=0.2,
            role=role,
            kind=kind,
            prefix=False,
            what=None,
            safe_harbor=None,
            reason=reason,
        )

    return Profile(
        n_rows=2000,
        k=5,
        person=None,
        columns=(
            one("name", "identifier", None, "looks like names of people (Safe Harbor A)"),
            one("postcode", "quasi", "hierarchy", "codes of one length, known outside the table"),
            one("diagnosis", "sensitive", None, "health, by its name"),
        ),
        uniqueness=Uniqueness(
            (Combination(("age", "postcode"), 1800, 1650, 1999, 1),),
            (Combination(("age", "postcode", "sex", "admitted", "occupation"), 1990, 1980, 2000, 1),),
            ("30 of 56 combinations of 3 columns were counted, and no larger ones.",),
        ),
        risk=RiskBefore(
            columns=("age", "postcode", "sex"),
            classes=1950,
            unique_rows=1900,
            rows_below_k=2000,
            smallest=1,
            highest=1.0,
            average=0.975,
        ),
    )


def hostile_profile() -> Profile:
    plain = profile()
    columns = tuple(replace(c, name=HOSTILE, reason=HOSTILE) for c in plain.columns)
    sets = Uniqueness((Combination((HOSTILE,), 1, 2, 3, 1),), (), (HOSTILE,))
    return replace(plain, columns=columns, uniqueness=sets, risk=replace(plain.risk, columns=(HOSTILE,)))


def bare() -> Content:
    """The least a report can be made of: no groups, no columns, nothing known of the distance from the best."""
    plain = content()
    nobody = replace(plain.risk.after, n_people=0, n_classes=0, class_sizes=(), at_risk=(), sensitive=())
    return replace(
        plain,
        policy=Policy(),
        findings=plain.findings[:1],
        groups=replace(plain.groups, ratio_proved=None, theorem=None, lower_bound=0.0, notes=()),
        sample_header=(),
        sample=(),
        loss=replace(plain.loss, columns=(), correlation=None, accuracy=None, sse_ratio=None, n_cells=0),
        risk=replace(plain.risk, after=nobody),
        advice=(),
        projection=None,
        seconds=(),
    )


def wide(n_columns: int) -> Content:
    plain = content()
    template = plain.loss.columns[0]
    names = [f"column {i}" for i in range(n_columns)]
    return replace(
        plain,
        policy=Policy.parse(
            {"columns": {n: {"role": "quasi"} for n in names} | {"o" + n: {"role": "other"} for n in names}}
        ),
        loss=replace(
            plain.loss, columns=tuple(replace(template, name=n, ncp=(i % 97) / 97) for i, n in enumerate(names))
        ),
    )


def findings() -> Findings:
    diagnosis = {"column": "diagnosis", "unit": "rows", "holds": True}
    return Findings(
        form="generalize",
        unit="rows",
        rows=40,
        groups=8,
        k=5,
        claims=(
            Claim(criterion="k-anonymity", claimed=5, measured=5, unit="rows", holds=True),
            Claim(criterion="l-diversity", kind="recursive", c=2.0, claimed=3, measured=3, **diagnosis),
            Claim(criterion="t-closeness", kind="ordered", claimed=0.5, measured=1 / 3, **diagnosis),
        ),
    )


def broken_findings() -> Findings:
    return replace(
        findings(),
        claims=(Claim(criterion="k-anonymity", claimed=5, measured=4, unit="rows", holds=False),),
        failures=(
            Failure(check="columns", column="name", message="column name is an identifier", records=40),
            Failure(check="k-anonymity", message="k-anonymity: 1 of 8 groups (4 records) miss 5", records=4),
        ),
    )
