"""The functions that users call. Each says what is asked for and hands it to the pipeline, which joins the steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import ParameterError, SchemaError, TableError
from shoal.measure import Attacks
from shoal.pipeline import frontier, run
from shoal.pipeline.apply_plan import PlanLike, as_plan, policy_of
from shoal.pipeline.attack import attack as attack_release
from shoal.pipeline.inputs import PolicyLike, Source, read_options, reporting_compilation, reporting_memory
from shoal.pipeline.next_release import After
from shoal.policy import Policy
from shoal.policy.keywords import SOURCE, as_policy
from shoal.results.comparison import Comparison
from shoal.results.release import Release
from shoal.results.release_folder import write_release
from shoal.roles import Profile, suggest_policy
from shoal.roles import profile as _profile
from shoal.secret import SecretLike, as_secret
from shoal.tables import read, write_text
from shoal.tables import recover as finish_change
from shoal.tables.file_bytes import reading as saying_why

if TYPE_CHECKING:
    from shoal.papers import mst, names, ratios
    from shoal.pipeline.derive_hierarchy import Derived


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
    wanted = as_policy(policy, settings)
    return run.anonymize(source, wanted, as_secret(secret, seed=wanted.seed), after=after)


def apply(
    plan: PlanLike,
    source: Source,
    *,
    max_suppressed: float | None = None,
    hierarchy: dict[str, str] | None = None,
    join: bool = False,
    seed: int | None = None,
    secret: SecretLike = None,
    **reading: Any,
) -> Release:
    """`source` recoded as an earlier table was: every record in a class of `plan` that holds it, checked anew.

    `plan` is `release.plan`, or the plan.json of a private folder. Of several classes the narrowest takes a record.
    Every class of the new release meets every requirement of the plan's policy by itself; rows that no such class
    holds are left out, at most `max_suppressed=` of them (the policy's where not given), or nothing is released.
    With `join=True` classes that fall short are first joined with others, which makes new, coarser cells.
    `hierarchy=` says where hierarchy files are now; `secret`, `seed=`, `encoding=` and what else says how to read a
    file as in `anonymize`.
    """
    known = ("max_suppressed", "hierarchy", "join", "seed", "secret", *SOURCE)
    if unknown := sorted(set(reading) - set(SOURCE)):
        raise ParameterError(f"{unknown[0]} is no setting of apply.", f"known: {', '.join(known)}.")
    given = as_plan(plan)
    changes = {"max_suppressed": max_suppressed, "hierarchy": hierarchy, "seed": seed or 0, **reading}
    wanted = policy_of(given, changes)
    return run.apply(source, wanted, as_secret(secret, seed=wanted.seed), given, join=join)


def profile(source: Source, **reading: Any) -> Profile:
    """Types, uniqueness, likely identifiers, and a role proposed for every column; no value is shown."""
    asked = as_policy(None, reading)
    with reporting_memory():
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
    with reporting_compilation():
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
    return frontier.compare(source, wanted, chance, k=k, l=l, methods=methods, max_suppressed=max_suppressed)


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
    return attack_release(original, released, policy, reading, people=people, seed=seed)


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
