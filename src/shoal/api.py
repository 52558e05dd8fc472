"""The steps in order: read, roles, points, groups, published table, certificate. Nothing else joins steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal import progress
from shoal.certify import Certificate, Findings, certified_policy, read_legend, released_file
from shoal.clock import Clock
from shoal.errors import ParameterError, SchemaError, TableError
from shoal.measure import Attacks, Loss, Risk, attack_files
from shoal.partition.methods.choose import AROUND_RECORDS
from shoal.partition.methods.outlier_curve import with_curve
from shoal.partition.methods.run import FACTORS
from shoal.pipeline.apply_plan import PlanLike, apply_plan
from shoal.pipeline.inputs import (
    Source,
    as_released,
    name_of,
    read_options,
    told_of_compilation,
    told_of_memory,
    with_roles,
)
from shoal.pipeline.next_release import After, follow, must_be_linked
from shoal.pipeline.row_order import in_own_order
from shoal.pipeline.run import Task
from shoal.pipeline.shape import Spaces
from shoal.policy import Policy
from shoal.policy.keywords import as_policy
from shoal.report import notebook
from shoal.report import plain_text as text
from shoal.report.charts.area_maps import area_maps
from shoal.report.content import Trial
from shoal.results.comparison import Comparison
from shoal.results.release import Release
from shoal.results.release_folder import write_release
from shoal.roles import Profile, compared, suggest_policy
from shoal.roles import profile as _profile
from shoal.secret import Secret, SecretLike, as_secret
from shoal.tables import Table, read, write_text
from shoal.tables import recover as finish_change
from shoal.tables.file_bytes import reading as saying_why

if TYPE_CHECKING:
    from shoal.papers import mst, names, ratios
    from shoal.pipeline.derive_hierarchy import Derived

PolicyLike = Policy | str | Path | dict[str, Any] | None

# Steps before the report cannot import it; here they are joined, so that their results show themselves.
for _result, _way, _shown in (
    (Profile, "__str__", text.profile),
    (Attacks, "__str__", text.attacks),
    (Loss, "__str__", text.loss),
    (Risk, "__str__", text.risk),
    (Profile, "_repr_html_", notebook.profile_html),
    (Findings, "_repr_html_", notebook.findings_html),
    (Certificate, "_repr_html_", notebook.findings_html),
):
    setattr(_result, _way, _shown)


def anonymize(
    source: Source,
    policy: PolicyLike = None,
    *,
    after: After | None = None,
    secret: SecretLike = None,
    **settings: Any,
) -> Release:
    """A release of `source` under `policy`, verified on the released table before it is returned.

    `policy` is a Policy, the path of a TOML file or a dictionary; `settings` are shortcuts laid over it: `k`, `l`,
    `t`, `quasi=[...]`, `sensitive=[...]`, `identifier=[...]`, `person=`, `other=[...]`, `method=`, `publication=`,
    `max_suppressed=`, `seed=` and the rest of `shoal.policy.keywords`. `secret` is that of an earlier release, or the
    path of the secret.key in its private folder: with it the same table and policy give the same release again. A
    new one is drawn where none is given. A policy with a `link=` begins a sequence of releases of one changing table;
    `after` is the private folder of the release before (or its `history`).
    """
    clock = Clock()
    wanted = as_policy(policy, settings)
    chance = as_secret(secret, seed=wanted.seed)
    with told_of_compilation():
        with clock("read"):
            table = read(source, read_options(wanted))
            for remark in table.notes:
                progress.note(remark)
        with clock("roles"):
            table, resolved = with_roles(table, wanted)
            table, order = in_own_order(table, resolved, chance)
        history = None
        if resolved.sequence is not None:
            followed = follow(table, resolved, order, after, chance, clock)
            task, partition, order, history = followed.task, followed.partition, followed.order, followed.history
            task = task.in_shape_of(partition, clock)
        else:
            must_be_linked(after)
            task = Task.of(table, resolved, chance, {}, clock)
            with clock("groups"):
                partition = task.groups()
                if task.choice.objective in AROUND_RECORDS and resolved.max_suppressed:
                    partition = with_curve(partition, task.solved, resolved.max_suppressed)
            task, partition = task.of_released_rows(partition, clock)
        partition, published, findings = task.published(partition, clock)
        lost, risks = task.measured(partition, published, clock)
    return Release(
        source=name_of(source),
        origin=table.origin,
        order=order,
        secret=chance,
        policy=task.policy,
        choice=task.choice,
        space=task.whole.built.space,
        partition=partition,
        published=published,
        findings=findings,
        loss=lost,
        risk=risks,
        seconds=clock.seconds,
        notes=table.notes,
        trees=task.shape.built.trees,
        recodings=task.shape.built.recodings,
        areas=task.shape.areas,
        maps=area_maps(task.shape.areas, task.table.frame.filter(partition.labels >= 0)),
        history=history,
    )


def apply(plan: PlanLike, source: Source, *, secret: SecretLike = None, **settings: Any) -> Release:
    """`source` recoded as an earlier table was: every record in a class of `plan` that holds it, checked anew.

    `plan` is `release.plan`, or the plan.json of a private folder. Of several classes the narrowest takes a record.
    Every class of the new release meets every requirement of the plan's policy by itself; rows that no such class
    holds are left out, at most `max_suppressed=` of them (the policy's where not given), or nothing is released.
    With `join=True` classes that fall short are first joined with others, which makes new, coarser cells.
    `hierarchy=` says where hierarchy files are now; `secret`, `seed=`, `encoding=` and what else says how to read a
    file as in `anonymize`.
    """
    with told_of_compilation():
        return apply_plan(plan, source, secret=secret, **settings)


def profile(source: Source, **reading: Any) -> Profile:
    """Types, uniqueness, likely identifiers, and a role proposed for every column; no value is shown."""
    asked = as_policy(None, reading)
    with told_of_memory():
        found = _profile(read(source, read_options(asked)))
    return replace(found, reading=asked.source.model_dump(exclude_defaults=True))


def write_policy(profile: Profile, path: str | Path, *, force: bool = False) -> None:
    """The policy that a profile proposes, as a TOML file to read and edit; an existing file stays unless forced."""
    policy, comments = suggest_policy(profile)
    _must_be_new(Path(path), force=force)
    write_text(path, policy.dumps(comments=comments))


def hierarchy(
    source: Source, column: str, *, k: int = 5, by: str | None = None, fan_out: int = 4, **reading: Any
) -> Derived:
    """A hierarchy for a column, from its own values: `print` shows it, `.write("file.csv")` makes a file of it.

    `by` is cover (labels into classes of at least k rows), quantiles (numbers into intervals of at least k rows),
    widths, periods or prefix; by the column's type where not given. A level above has `fan_out` times as many rows.
    """
    from shoal.pipeline.derive_hierarchy import derive

    table = read(source, read_options(as_policy(None, reading)))
    if column not in table.columns:
        meant = get_close_matches(column, table.columns, n=1)
        raise SchemaError(
            f"the table has no column {column!r}.",
            f"did you mean {meant[0]!r}?" if meant else f"it has {', '.join(table.columns[:20])}.",
        )
    with told_of_compilation():
        cells = table.as_read if by in ("cover", "prefix") else table.frame  # of labels as they were read
        return derive(cells[column], k=k, way=by, fan_out=fan_out)


def write_hierarchy(derived: Derived, path: str | Path, *, force: bool = False) -> None:
    """The hierarchy as a file to read and edit; an existing file stays unless forced."""
    _must_be_new(Path(path), force=force)
    derived.write(path)


def _must_be_new(path: Path, *, force: bool) -> None:
    with saying_why(path):
        taken = path.exists()
    if taken and not force:
        raise TableError(f"{path.name} exists already.", "choose another name, or --force to replace it.")


def compare(
    source: Source,
    policy: PolicyLike = None,
    *,
    k: Sequence[int] = (2, 3, 5, 10, 20),
    l: Sequence[float] | None = None,  # noqa: E741
    methods: Sequence[str] | None = None,
    max_suppressed: Sequence[float] | float | None = None,
    secret: SecretLike = None,
    **settings: Any,
) -> Comparison:
    """Loss and risk for every k, l, method and share of rows that may be left out: the risk-utility frontier.

    The table is read and coded once. With the `secret` of a release the numbers are the same again.
    """
    wanted = as_policy(policy, settings)
    chance = as_secret(secret, seed=wanted.seed)
    if not k:
        raise ParameterError("compare needs at least one k.", "give k=[2, 5, 10].")
    with told_of_compilation():
        table, base = with_roles(read(source, read_options(wanted)), wanted)
        table, _ = in_own_order(table, as_policy(base, {"l": max(l) if l else None}), chance)
        spaces: Spaces = {}
        trials = []
        levels: Sequence[float | None] = l or [None]
        shares = (
            [max_suppressed] if max_suppressed is None or isinstance(max_suppressed, int | float) else max_suppressed
        )
        runs = list(product(methods or [base.method], levels, k, shares or [None]))
        # A method for one k is shown there, beside others; where it can be shown nowhere, it says why.
        runs = [run for run in runs if FACTORS.get(run[0], run[2]) == run[2]] or runs
        with progress.step("comparison", total=len(runs)) as advance:
            for method, level, size, share in runs:
                asked = {"k": size, "l": level, "method": method, "max_suppressed": share}
                trials.append(_trial(table, as_policy(base, asked), chance, spaces))
                advance(1)
    return Comparison(source=name_of(source), policy=base, trials=tuple(trials))


def _trial(table: Table, policy: Policy, secret: Secret, spaces: Spaces) -> Trial:
    """One point of the frontier."""
    clock = Clock()
    task = Task.of(table, policy, secret, spaces, clock)
    with clock("groups"):
        partition = task.groups()
    task, partition = task.of_released_rows(partition, clock)
    partition, published, _ = task.published(partition, clock)
    lost, risks = task.measured(partition, published, clock)
    wishes = [f"l = {policy.diversity.l:g}"] if policy.diversity else []
    wishes += [f"t = {policy.closeness.t:g}"] if policy.closeness else []
    return Trial(
        method=task.choice.method,
        k=policy.k,
        requirement=", ".join(wishes),
        n_groups=partition.n_groups,
        suppressed_share=partition.n_suppressed / len(table),
        loss=lost.gcp,
        sse_ratio=lost.sse_ratio,
        highest_risk=risks.after.prosecutor_max,
        mean_risk=risks.after.prosecutor_mean,
        ratio_seen=partition.ratio_seen,
        ratio_proved=partition.ratio_proved,
        cost=partition.cost,
        max_suppressed=policy.max_suppressed,
        seconds=sum(clock.seconds.values()),
    )


def attack(
    original: Source,
    released: Source,
    policy: PolicyLike = None,
    *,
    people: int = 2000,
    seed: int = 0,
    **reading: Any,
) -> Attacks:
    """How often an attacker who holds the originals finds people in a release, against what k promises.

    Without a policy, the roles are those of the certificate beside the released file. `reading` says how the file of
    the originals is read, where the policy does not.
    """
    legends = None
    if isinstance(released, str | Path):
        released = released_file(released)
        folder = Path(released).parent
        legends = read_legend(folder / "legend.json")
        with saying_why(folder / "certificate.json"):
            beside = (folder / "certificate.json").exists()
        if policy is None and beside:
            policy = certified_policy(folder / "certificate.json")
    wanted = as_policy(policy, reading)
    table, resolved = with_roles(read(original, read_options(wanted)), wanted)
    return attack_files(
        compared(table, resolved), as_released(released), resolved, legends=legends, people=people, seed=seed
    )


def demo(out: str | Path, *, people: int = 2000) -> Release:
    """A generated hospital table, anonymized and written to `out`; the table itself is kept in `out.private`."""
    from shoal.datasets import POLICY, hospital

    table = hospital(people)
    release = replace(anonymize(table, Policy.loads(POLICY)), source="hospital.csv")
    return write_release(release, out, raw={"hospital.csv": table})


def recover(out: str | Path) -> bool:
    """After a run was killed: bring `out` and `out.private` to one release; whether a change was to be completed."""
    return finish_change(out)


def papers(
    paper: str,
    data: str | Path | None = None,
    *,
    tables: Sequence[int] | None = None,
    seed: int = 0,
    html: str | Path | None = None,
) -> Sequence[mst.Row] | Sequence[names.Row] | Sequence[ratios.Row]:
    """The experiments of a paper, printed and measured; `html` also writes a page with the charts.

    "mst" has tables 5 to 10; "names" has figure 7, with the largest ratio in every subrange of k; "gather",
    "cellular", "diversity" and "generalization", whose papers print none, have the ratio seen beside the one proved.
    """
    from shoal.papers.repeat import repeat

    rows, page = repeat(paper, None if data is None else Path(data), tables=tables, seed=seed)
    if html is not None:
        write_text(html, page)
    return rows
