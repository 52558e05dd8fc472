"""A release that follows earlier ones: the groups that it may have, and the history that the next one will need."""

from __future__ import annotations

import math
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal import progress
from shoal.clock import Clock
from shoal.errors import InfeasibleError, ParameterError, SchemaError
from shoal.partition.choose import Choice, choose
from shoal.partition.result import Partition, number_groups, share_of
from shoal.partition.solve import cost_of
from shoal.policy import Following, Policy
from shoal.requirements import LDiversity, TCloseness, count
from shoal.sequence import History, Promise, Standing, assign, marks, read_history, split, staying, value_marks
from shoal.sequence.check import require_groups, require_values
from shoal.sequence.history import GROUP, LAST, WHO
from shoal.tables import Table
from shoal.tables.text import text_of
from shoal.task import Task

Ints = npt.NDArray[np.int64]
After = History | str | Path
MADE_UP = -1
"""The input row of a counterfeit."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Followed:
    """Groups that keep the promise of all releases so far."""

    task: Task
    partition: Partition
    order: Ints
    """The input row of each record, MADE_UP for a counterfeit."""
    history: History


def must_be_linked(after: After | None) -> None:
    """Refuse to follow a release by a policy that does not say who is who."""
    if after is not None:
        raise ParameterError(
            "a release can only follow another if the policy says by which column people are known again.",
            'give it: --link COLUMN, or link = "..." under [sequence].',
        )


def follow(table: Table, policy: Policy, order: Ints, after: After | None, clock: Clock) -> Followed:
    """The groups of one more release of a sequence, or of its first (`after` None)."""
    asked = policy.sequence
    assert asked is not None
    _check_form(choose(policy))
    if after is None:
        history = History.begin(policy)
    else:
        history = after if isinstance(after, History) else read_history(after)
        history.promise.require(Promise.of(policy))
    with clock("roles"):
        who = marks(table.frame[asked.link], history.key)
    if history.number:
        latest = history.people.filter(pl.col(LAST) == history.number)
        if not latest[WHO].is_in(who.implode()).any():
            raise SchemaError(
                f"none of the {latest.height} people of the latest release is in the table.",
                f"see that {asked.link} is the same column, written in the same way; or begin anew, without --after.",
            )
    policy = policy.model_copy(update={"seed": policy.seed if policy.seed is not None else secrets.randbits(63)})
    way = _by_values if asked.keep == "values" else _by_groups
    return way(table, policy, order, history, who, clock)


def _check_form(choice: Choice) -> None:
    if choice.whole_columns or choice.form == "centers":
        what = f"method={choice.method}" if choice.whole_columns else "publication=centers"
        raise ParameterError(
            f"a release that is followed by others keeps its groups, which {what} cannot do.",
            "take method=forest and publication=generalize.",
        )


def _standing_of(history: History, who: pl.Series) -> tuple[Ints, Ints]:
    """The group of every row's person in the history, -1 for new ones, and the release that showed them last."""
    known = who.alias(WHO).to_frame().join(history.people, on=WHO, how="left", maintain_order="left")
    return known[GROUP].fill_null(-1).to_numpy().astype(np.int64), known[LAST].fill_null(0).to_numpy().astype(
        np.int64
    )


# -- people stay together ---------------------------------------------------------------------------------------


def _by_groups(table: Table, policy: Policy, order: Ints, history: History, who: pl.Series, clock: Clock) -> Followed:
    asked = policy.sequence
    assert asked is not None
    task = Task.of(table, policy, {}, clock)
    covered = asked.departures == "covered" and bool(policy.named("sensitive", "other"))
    group, last = _standing_of(history, who)
    alive = (last == history.number) & (group >= 0)
    new = np.flatnonzero(group < 0)
    kept = _kept_values(task, history)
    with clock("groups"):
        cohort = np.full(len(table), -1, dtype=np.int64)
        found: Partition | None = None
        if history.number:
            rows = np.flatnonzero(alive)
            shown = rows[_shown(task, history, who, rows, group, kept, covered=covered)]
            cohort[shown] = group[shown]
        if len(new):
            found = _new_groups(table, policy, new, history, clock)
            if found is not None:
                cohort[new] = np.where(found.labels < 0, -1, history.n_groups + found.labels)
        cohort = _close_enough(task, cohort)
    _within_limit(
        policy,
        n_rows=len(table),
        thinned=int(np.count_nonzero(alive & (cohort < 0))),
        waiting=int(np.count_nonzero((group < 0) & (cohort < 0))),
        back=int(np.count_nonzero((group >= 0) & ~alive)),
    )
    labels = number_groups(cohort)
    later = history.after(
        pl.DataFrame({WHO: who, GROUP: cohort, **kept}).filter(pl.Series(cohort >= 0)),
    )
    require_groups(history, later, covered=covered)
    if found is not None and not history.number and not asked.reserve and (labels == found.labels).all():
        partition = found
    else:
        partition = _partition(task, labels, _told(history, later, int(alive.sum()), policy))
    return Followed(task=task, partition=partition, order=order, history=later)


def _kept_values(task: Task, history: History) -> dict[str, pl.Series]:
    """Keyed hashes of the values that must differ in a group, under the names of their columns."""
    found = {}
    for place, asked in enumerate(one for one in task.requirements if isinstance(one, LDiversity)):
        values = task.table.frame[asked.column]
        if task.policy.columns[asked.column].bins is not None:  # values of one bin are one value
            bins = pl.Series(task.records.sensitive[asked.column])
            values = pl.select(pl.when(values.is_not_null()).then(bins)).to_series()
        found[f"value_{place}"] = value_marks(values, history.key)
    return found


def _shown(
    task: Task,
    history: History,
    who: pl.Series,
    rows: Ints,
    group: Ints,
    kept: dict[str, pl.Series],
    *,
    covered: bool,
) -> npt.NDArray[np.bool_]:
    """Which of the rows of people whom the latest release showed are shown again."""
    latest = history.people.filter(pl.col(LAST) == history.number)
    present = who[rows].alias(WHO).to_frame().join(latest, on=WHO, how="left", maintain_order="left")
    gone = latest.join(present.select(WHO), on=WHO, how="anti")
    known = pl.concat([present, gone])
    _, numbers = np.unique(known[GROUP].to_numpy(), return_inverse=True)
    asked = [one for one in task.requirements if not isinstance(one, TCloseness)]
    columns = dict(zip((one.column for one in asked if isinstance(one, LDiversity)), kept, strict=True))
    filler = np.zeros(gone.height, dtype=np.int64)
    standing = Standing(
        group=numbers.astype(np.int64),
        n_present=len(rows),
        now={name: np.concatenate([task.records.sensitive[name][rows], filler]) for name in columns},
        before={
            name: known[hashed].rank("dense").fill_null(0).to_numpy().astype(np.int64)
            for name, hashed in columns.items()
        },
    )
    chance = np.random.default_rng([task.seed, 0xC0])
    return staying(standing, task.whole.built.space.take(rows), asked, covered=covered, chance=chance)


def _new_groups(table: Table, policy: Policy, new: Ints, history: History, clock: Clock) -> Partition | None:
    """Groups of new people among themselves, with the reserve if there are enough; None if they are too few."""
    asked = policy.sequence
    assert asked is not None
    k = max(policy.k, min(policy.k + asked.reserve, len(new)))
    changes = {"k": k} if not history.number else {"k": k, "max_suppressed": 0.0}
    part = table if len(new) == len(table) else replace(table, frame=table.frame[new])
    try:
        return Task.of(part, policy.model_copy(update=changes), {}, clock).groups()
    except InfeasibleError:
        if not history.number:
            raise
        return None


def _close_enough(task: Task, cohort: Ints) -> Ints:
    """Groups that are not as the whole release is (t) are left out, until all are."""
    if not any(isinstance(one, TCloseness) for one in task.requirements):
        return cohort
    while (cohort >= 0).any():
        labels = number_groups(cohort)
        counts = count(labels, task.records)
        held = np.logical_and.reduce([one.holds(counts) for one in task.requirements])
        if held.all():
            break
        cohort = np.where((labels >= 0) & held[labels], cohort, -1)
    return cohort


# -- sets of values stay the same -------------------------------------------------------------------------------


def _by_values(table: Table, policy: Policy, order: Ints, history: History, who: pl.Series, clock: Clock) -> Followed:
    asked = policy.sequence
    assert asked is not None
    column, m = _invariant(policy)
    texts = text_of(table.frame[column])
    domain = sorted({text for one in history.signatures for text in one} | set(texts.drop_nulls().to_list()))
    code_of = {text: code for code, text in enumerate(domain)}
    values = np.array([-1 if text is None else code_of[text] for text in texts.to_list()], dtype=np.int64)
    group, _ = _standing_of(history, who)
    with clock("groups"):
        signatures = [tuple(code_of[text] for text in one) for one in history.signatures]
        places = assign(values, group, signatures, m=m, k=policy.k, counterfeits=asked.counterfeits)
        made_up = _made_up(table, policy, places.signature, places.counterfeits, domain, column, values)
    n_rows = len(table)
    placed = places.signature
    if made_up.height:
        table = replace(table, frame=pl.concat([table.frame, made_up]))
        number, value, times = np.array(places.counterfeits, dtype=np.int64).T
        placed = np.concatenate([placed, np.repeat(number, times)])
        values = np.concatenate([values, np.repeat(value, times)])
        order = np.concatenate([order, np.full(made_up.height, MADE_UP, dtype=np.int64)])
    _within_limit(
        policy,
        n_rows=n_rows,
        thinned=int(np.count_nonzero((group >= 0) & (placed[:n_rows] < 0))),
        waiting=int(np.count_nonzero((group < 0) & (placed[:n_rows] < 0))),
        back=0,
    )
    task = Task.of(table, policy, {}, clock)
    with clock("groups"), progress.step("groups"):
        labels = number_groups(split(task.whole.built.space, values, placed, policy.k))
    named = tuple(tuple(domain[code] for code in one) for one in places.signatures)
    facts = pl.DataFrame(
        {"group": labels, "signature": placed, "value": [*texts.to_list(), *(domain[v] for v in values[n_rows:])]}
    )
    require_values(facts.filter(pl.col("group") >= 0), named, m=m, k=policy.k)
    shown = pl.DataFrame({WHO: who, GROUP: placed[:n_rows]}).filter(pl.col(GROUP) >= 0)
    later = history.after(shown, named)
    notes = _told(history, later, int(np.count_nonzero(group >= 0)), policy)
    if made_up.height:
        notes = (*notes, f"{made_up.height} of the released rows are made up, in the place of people who left")
    partition = _partition(task, labels, notes)
    partition = replace(partition, method="m-invariance", details={"counterfeits": made_up.height})
    return Followed(task=task, partition=partition, order=order, history=later)


def _invariant(policy: Policy) -> tuple[str, int]:
    """The column whose values stay the same around everybody, and how many there are at least."""
    told = 'keep = "values" keeps the values of one sensitive column'
    instead = 'or take keep = "groups", which takes any columns and requirements.'
    exact = policy.named("sensitive", "other")
    if len(exact) != 1 or not policy.sensitive:
        raise ParameterError(
            f"{told}; {len(exact)} columns are published as they are, and any other would show who is who.",
            f"give one column the role sensitive and none the role other, {instead}",
        )
    name = exact[0]
    asked = policy.diversity_of(name)
    if asked is None or asked.kind != "distinct" or asked.l < 2 or policy.closeness_of(name):
        raise ParameterError(
            f"{told}, at least l different ones around everybody; {name} has no distinct l of 2 or more, or a t.",
            f"ask for diversity = {{ l = 2 }} and no closeness, {instead}",
        )
    if policy.columns[name].bins is not None:
        raise ParameterError(f"{told}; the bins of {name} hold several.", f"leave out its bins, {instead}")
    return name, int(asked.l)


def _made_up(
    table: Table,
    policy: Policy,
    signature: Ints,
    wanted: Iterable[tuple[int, int, int]],
    domain: list[str],
    column: str,
    values: Ints,
) -> pl.DataFrame:
    """Counterfeits: the quasi-identifiers of people of the same signature, with the values that are wanted."""
    assert policy.seed is not None
    chance = np.random.default_rng([policy.seed, 0xFA])
    templates: list[int] = []
    told: list[int] = []
    for number, value, times in wanted:
        templates += chance.choice(np.flatnonzero(signature == number), times).tolist()
        told += [value] * times
    frame = table.frame[templates]
    own = table.frame[column]
    at = {code: row for row, code in reversed(list(enumerate(values.tolist())))}
    gone = sorted({value for value in told if value not in at})
    read = pl.Series([domain[value] for value in gone], dtype=pl.String).cast(own.dtype, strict=False)
    if read.null_count():
        raise ParameterError(
            f"values of {column} that nobody has any more cannot be made up for a column of this type.",
            f"give {column} as text, or allow rows to be left out (max_suppressed) and no counterfeits.",
        )
    place = {value: row for row, value in enumerate(gone)}
    cells = pl.concat([own, read.alias(column)])
    taken = [at[value] if value in at else len(own) + place[value] for value in told]
    frame = frame.with_columns(cells[taken].alias(column))
    named = [pl.lit(None, dtype=table.frame.schema[name]).alias(name) for name in policy.named("identifier")]
    frame = frame.with_columns(named)
    if policy.person is not None:
        frame = frame.with_columns(_strangers(table.frame[policy.person], frame.height))
    return frame.select(table.frame.columns)


def _strangers(people: pl.Series, n: int) -> pl.Series:
    """As many people as are wanted, none of them in the table."""
    if people.dtype.is_integer():
        highest = int(people.max() or 0)  # type: ignore[arg-type]
        return pl.Series(people.name, range(highest + 1, highest + 1 + n), dtype=people.dtype)
    if people.dtype != pl.String:
        raise ParameterError(f"people cannot be made up in {people.name}, which is neither text nor whole numbers.")
    return pl.Series(people.name, [secrets.token_hex(16) for _ in range(n)], dtype=pl.String)


# -- both -------------------------------------------------------------------------------------------------------


def _partition(task: Task, labels: Ints, notes: tuple[str, ...]) -> Partition:
    return Partition(
        labels=labels,
        method=task.choice.method,
        objective=task.choice.objective,
        cost=cost_of(task.choice, task.whole.built.space)(labels),
        notes=notes,
    )


def _told(before: History, after: History, n_present: int, policy: Policy) -> tuple[str, ...]:
    """Who came and went, for the private half of the certificate."""
    if not before.number:
        return ("this release is the first of a sequence",)
    latest = int((before.people[LAST] == before.number).sum())
    shown = after.people.filter(pl.col(LAST) == after.number)
    n_new = shown.join(before.people, on=WHO, how="anti").height
    return (
        f"this is release {after.number} of a sequence: of the {latest} people of the one before, "
        f"{shown.height - n_new} are shown again; {n_new} are new",
    )


def _within_limit(policy: Policy, *, n_rows: int, thinned: int, waiting: int, back: int) -> None:
    """Refuse to leave out more rows than may be, with the counts and the ways out."""
    asked = policy.sequence
    assert isinstance(asked, Following)
    left_out, allowed = thinned + waiting + back, share_of(policy.max_suppressed, n_rows)
    if left_out == n_rows:
        raise InfeasibleError(
            "no row of this table can be published after the releases before it.", "begin anew, without --after."
        )
    if left_out <= allowed:
        return
    why = [
        f"{n} {told}"
        for n, told in (
            (thinned, "are of people whose groups have thinned out"),
            (waiting, "are of new people, too few to hide among themselves"),
            (back, "are of people who were absent from a release and cannot come back"),
        )
        if n
    ]
    needed = math.ceil(1000 * left_out / n_rows) / 1000
    ways = [f"allow it (--max-suppressed {needed:g})"]
    if asked.keep == "groups" and thinned:
        ways.append("begin with larger groups (--reserve)")
    if asked.keep == "values" and thinned and not asked.counterfeits:
        ways.append("allow rows that are made up (--counterfeits)")
    raise InfeasibleError(
        f"{left_out} of {n_rows} rows would have to be left out, and {allowed} may be: {', '.join(why)}.",
        f"{', or '.join(ways)}.",
    )
