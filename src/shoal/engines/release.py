"""The release of a table that is larger than memory, step by step, on any engine.

Guarantee   The rows of the release, and so everything that is counted on them, depend on the table, the policy and
            the secret, and neither on the engine nor on how rows are spread over partitions. Groups are made in
            blocks, so no ratio is claimed; the lower bound holds for every release of the whole table (BLOCKS-4,
            docs/proofs/blocks.md). Identifiers are never read.
"""

from __future__ import annotations

import hmac
import math
from dataclasses import dataclass, replace
from hashlib import sha256

import pyarrow as pa

from shoal import progress
from shoal.certify import Facts
from shoal.clock import Clock
from shoal.effort import GENERALIZATION, LEAST_IN_BLOCKS
from shoal.engines.along_borders import AlongBorders, crosses_borders, grouped_rows
from shoal.engines.assign import AddBlock, AddPerson, AssignPeople, KeepWhere, Renumber, WithoutCodes
from shoal.engines.block import BlockSummary, BlockTasks, GroupBlock, LeftOut
from shoal.engines.columns import BLOCK, PERSON
from shoal.engines.counting import COUNTED, BlockCounts, CountBlocks
from shoal.engines.engine import Data, Engine
from shoal.engines.left_out import Made, publish_without_some
from shoal.engines.outline import Outline, alone_values, in_values, outline_of
from shoal.engines.publishing import GroupAndPublish, PublishedSummary, PublishGroups, released_schema
from shoal.engines.sampled_tree import sampled_tree
from shoal.engines.scope import check_choice, check_scope
from shoal.engines.summaries import summaries_of
from shoal.engines.survey import PICKLED, Survey, SurveyRows, merged
from shoal.errors import InfeasibleError
from shoal.partition.blocks.search import COPIES, SAMPLE
from shoal.partition.generalization.annealing_schedule import usual_effort
from shoal.partition.methods.choose import Choice, choose
from shoal.partition.result import share_of
from shoal.policy import Policy
from shoal.secret import Earlier, Secret

PEOPLE_ROWS = 200_000
"""About how many rows are in memory at a time where the rows of each person are brought together."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rows:
    """Released rows as an engine holds them, with what is known of them."""

    engine: Engine
    data: Data
    schema: pa.Schema
    """The released columns, without the engine's own."""
    source: str
    policy: Policy
    """The resolved policy, identifiers included."""
    choice: Choice
    secret: Secret
    blocks: tuple[BlockSummary, ...]
    """What is known of each block from its search."""
    summaries: tuple[PublishedSummary, ...]
    """What is known of the groups that were published, of each block and along borders."""
    left_out: tuple[LeftOut, ...]
    """What is known of the rows that were left out, of each block of which some were."""
    notes: tuple[str, ...]
    seconds: dict[str, float]

    @property
    def facts(self) -> Facts:
        """How the groups were made and what they cost."""
        n_blocks, gone = len(self.blocks), self.n_left_out
        cost = math.fsum(one.cost for some in (self.summaries, self.left_out) for one in some)
        bound = math.fsum(one.lower_bound for one in self.blocks)
        said = dict.fromkeys(note for one in self.blocks for note in one.notes)
        notes = [*self.notes, f"groups were made in {n_blocks} blocks of rows, so no ratio is claimed", *said]
        if gone and len(self.blocks) > 1:
            saved = math.fsum(one.saved for one in self.left_out)
            notes.append(
                f"{gone} rows were left out, each counted as wholly lost; that saved {saved:.4g} of the cost"
            )
        return Facts(
            method=self.choice.method,
            objective=self.choice.minimizes,
            reason=self.choice.reason,
            n_groups=sum(one.n_groups for one in self.summaries),
            suppressed=gone,
            cost=cost,
            lower_bound=min(bound, cost),
            notes=tuple(notes),
        )

    @property
    def n_rows(self) -> int:
        """The number of released rows."""
        return sum(one.n_rows for one in self.summaries)

    @property
    def n_left_out(self) -> int:
        """The number of rows that were left out."""
        return sum(one.n_rows for one in self.left_out)

    @property
    def lost(self) -> dict[str, float]:
        """Per quasi-identifier, the share of its information that an average cell loses (NCP); of a row that is left
        out every cell is lost.
        """
        weights = {name: column.weight for name, column in self.policy.columns.items()}
        n_rows, gone = self.n_rows + self.n_left_out, self.n_left_out
        return {
            name: (math.fsum(one.lost[name] for one in self.summaries) / weights[name] + gone) / n_rows
            for name in self.policy.quasi
        }


def release_rows(
    engine: Engine,
    data: Data,
    asked: Policy,
    secret: Secret | Earlier,
    *,
    source: str,
    size: int | None = None,
) -> Rows:
    """Return the released rows of a table, held by the engine; they have not been verified.

    Blocks have about `size` records, as many as the default method uses if it is not given.
    """
    clock = Clock()
    names = engine.schema(data).names
    check_scope(asked, names)
    if asked.publication == "auto":  # also where all columns are numbers: means are not made in blocks
        asked = asked.model_copy(update={"publication": "generalize"})
    public = [name for name in names if asked.columns[name].role != "identifier"]
    data = engine.select(data, public)
    inner = asked.model_copy(update={"columns": {name: asked.columns[name] for name in public}})
    with clock("read"):
        if asked.where is not None:
            data = engine.map(data, KeepWhere(inner), engine.schema(data), stage="rows")
        if any(column.null_values for column in inner.columns.values()):
            data = engine.map(data, WithoutCodes.of(inner), engine.schema(data), stage="rows")
        survey, outline = _surveyed(engine, data, inner, public)
    choice = choose(outline.policy)
    used = settled(secret, survey, asked, engine.schema(data))
    person = outline.policy.person
    columns = tuple(name for name in outline.policy.sensitive if outline.policy.has_requirement(name))
    only_k = person is None and not columns
    with clock("points"):
        tree, whole = sampled_tree(survey, outline, size, used.number("blocks"), only_k=only_k)
        by_row = AddBlock(outline, tree)
        with_block = pa.schema([*engine.schema(data), pa.field(BLOCK, pa.int32())])
        placed = _placed(engine, data, by_row, person, survey.n_rows, with_block)
        count = CountBlocks(BLOCK, columns, person, outline)
        found = engine.collect(engine.map(placed, count, COUNTED, stage="blocks"), stage="blocks")
        counts = BlockCounts.of(found, outline, columns, tree.n_blocks)
        tree, into = tree.joined(counts.good(outline.policy.k))
        counts = counts.joined(into)
        placed = engine.map(placed, Renumber(into), with_block, stage="blocks")
    with clock("groups"):
        usual = max(usual_effort(GENERALIZATION.usual, whole.n_costly, whole.n_rows), LEAST_IN_BLOCKS)
        effort = usual if asked.effort is None else asked.effort
        group = GroupBlock(BlockTasks(outline, used, effort, whole, counts.t_of_blocks()), tree)
        publish = PublishGroups(group.tasks, released_schema(outline), alone=alone_values(survey, outline.policy))
        crosses = tree.n_blocks > 1 and crosses_borders(outline.policy, choice, effort)
        again = AlongBorders(engine, group, publish, columns, size, only_k=only_k) if crosses else None
        allowed = share_of(asked.max_suppressed, survey.n_rows)
        if allowed:
            made = publish_without_some(engine, placed, group, publish, again, allowed)
        elif again is not None:
            grouped, known = grouped_rows(engine, group, placed)
            rows, found_of = again.published(grouped)
            made = Made(rows, (*known, *found_of), publish.schema)
        else:
            work = GroupAndPublish(group, publish)
            rows = engine.map_keys(placed, BLOCK, tree.n_blocks, work, publish.schema, stage="groups of blocks")
            rows = engine.keep(rows, stage="groups of blocks")
            made = Made(rows, summaries_of(engine, rows), publish.schema)
    policy = outline.policy.model_copy(
        update={
            "columns": {name: outline.policy.columns.get(name, asked.columns[name]) for name in names},
            "seed": used.seed,
        }
    )
    released = pa.schema([one for one in made.schema if not one.name.startswith("shoal: ")])
    return Rows(
        engine=engine,
        data=made.rows,
        schema=released,
        source=source,
        policy=policy,
        choice=choice,
        secret=used,
        blocks=tuple(one for one in made.summaries if isinstance(one, BlockSummary)),
        summaries=tuple(one for one in made.summaries if isinstance(one, PublishedSummary)),
        left_out=tuple(one for one in made.summaries if isinstance(one, LeftOut)),
        notes=(*_selected(survey, asked), *survey.notes),
        seconds=dict(clock.seconds),
    )


def _surveyed(engine: Engine, data: Data, policy: Policy, names: list[str]) -> tuple[Survey, Outline]:
    """Return the survey of all rows and the outline of the table; it takes a second pass where codes are numbers."""
    copies = COPIES * policy.k
    listed = frozenset(name for name in policy.sensitive if policy.has_requirement(name))
    while True:
        look = SurveyRows(tuple(policy.quasi), listed, policy.person, SAMPLE, copies)
        found = engine.map(data, look, PICKLED, stage="survey")
        survey = merged(engine.collect(found, stage="survey"), SAMPLE, copies)
        if policy.where is not None and not survey.n_rows:
            raise InfeasibleError.no_rows_selected()
        if survey.n_rows < policy.k:
            raise InfeasibleError.too_few_rows(survey.n_rows, policy.k)
        outline = outline_of(survey, policy, names)
        check_choice(choose(outline.policy))
        coded = [name for name in in_values(outline.policy) if survey.columns[name].values is None]
        if not coded:
            for note in survey.notes:
                progress.note(note)
            return survey, outline
        listed |= frozenset(coded)


def _placed(engine: Engine, data: Data, by_row: AddBlock, person: str | None, n_rows: int, schema: pa.Schema) -> Data:
    """Return the rows with their blocks; all rows of a person are in one."""
    if person is None:
        return engine.map(data, by_row, schema, stage="blocks")
    n_keys = max(1, n_rows // PEOPLE_ROWS)
    keyed = pa.schema([*engine.schema(data), pa.field(PERSON, pa.int32())])
    rows = engine.map(data, AddPerson(person, n_keys), keyed, stage="people")
    work = AssignPeople(by_row, person)
    return engine.keep(engine.map_keys(rows, PERSON, n_keys, work, schema, stage="people"), stage="people")


def _selected(survey: Survey, policy: Policy) -> tuple[str, ...]:
    """Return the note on a condition, if there is one."""
    if policy.where is None:
        return ()
    return (f"{survey.n_rows} rows meet the condition; the release is about these only.",)


def settled(secret: Secret | Earlier, survey: Survey, policy: Policy, schema: pa.Schema) -> Secret:
    """Return the secret to use: that of an earlier release for the same table and policy only, else a new one."""
    given = secret.secret if isinstance(secret, Earlier) else secret
    found = _fingerprint(survey, policy, schema, given.key)
    if isinstance(secret, Earlier) and not hmac.compare_digest(found, secret.fingerprint):
        given = Secret.draw(seed=given.seed)
        found = _fingerprint(survey, policy, schema, given.key)
    return replace(given, fingerprint=found)


def _fingerprint(survey: Survey, policy: Policy, schema: pa.Schema, key: bytes) -> str:
    """Return a keyed digest of the rows, in any order, and the policy; without the key nothing follows from it."""
    parts = [str(schema), policy.dumps(), str(survey.n_rows), *map(str, survey.digest)]
    return hmac.new(key, b"".join(sha256(part.encode()).digest() for part in parts), sha256).hexdigest()
