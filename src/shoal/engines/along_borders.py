"""Groups of all blocks, and those along the borders between blocks searched again in other blocks.

Guarantee   The groups meet every requirement of the policy against the whole table, and cost no more than those of
            the blocks alone (BLOCKS-5, docs/proofs/blocks.md). The result depends neither on the engine nor on how
            rows are spread over partitions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from shoal.engines.block import GroupBlock, grouped_schema
from shoal.engines.borders import AddKey, SampleBorders
from shoal.engines.columns import BLOCK, KEY
from shoal.engines.counting import COUNTED, BlockCounts, CountBlocks
from shoal.engines.cut_tree import CutTree, Node
from shoal.engines.engine import Data, Engine
from shoal.engines.publishing import PublishGroups
from shoal.engines.sampled_tree import sampled_tree
from shoal.engines.summaries import Summaries, summaries_of
from shoal.engines.survey import PICKLED, Survey, merged
from shoal.partition.blocks.search import COPIES, SAMPLE
from shoal.partition.methods.choose import Choice
from shoal.policy import Policy


def crosses_borders(policy: Policy, choice: Choice, effort: float) -> bool:
    """Return whether groups along borders are searched again: if the method is followed by a search.

    Rows of one person may then be published in several blocks, and groups that are published alike may share people.
    k and distinct l hold of such a class, as it has the people and values of each of its groups; other requirements
    need not.
    """
    if not choice.record.searched or not effort:
        return False
    if policy.person is None:
        return True
    return all(_only_distinct(policy, name) for name in policy.sensitive)


def _only_distinct(policy: Policy, name: str) -> bool:
    """Return whether distinct l is all that is required of the values of a column, if anything is."""
    if policy.closeness_of(name) is not None or policy.disclosure_of(name) is not None:
        return False
    asked = policy.diversity_of(name)
    return asked is None or asked.kind == "distinct"


def grouped_rows(engine: Engine, group: GroupBlock, placed: Data) -> tuple[Data, Summaries]:
    """Return the rows in the groups of blocks, stored, and what is known of the blocks."""
    schema = grouped_schema(engine.schema(placed))
    grouped = engine.map_keys(placed, BLOCK, group.tree.n_blocks, group, schema, stage="groups of blocks")
    grouped = engine.keep(grouped, stage="groups of blocks")
    return grouped, summaries_of(engine, grouped)


@dataclass(frozen=True, slots=True, eq=False)
class AlongBorders:
    """Searches the groups of blocks that are along borders again, and publishes all."""

    engine: Engine
    group: GroupBlock
    publish: PublishGroups
    columns: tuple[str, ...]
    """The columns with requirements."""
    size: int | None
    """About how many records a block has; as many as the default method uses if it is not given."""
    only_k: bool
    """Whether k is all that is required, counted in rows."""

    def published(self, grouped: Data) -> tuple[Data, Summaries]:
        """Return the released rows and what is known of them; `grouped` are the rows in the groups of blocks."""
        engine, n_blocks = self.engine, self.group.tree.n_blocks
        tree = self._tree(grouped)
        schema = pa.schema([*engine.schema(grouped), pa.field(KEY, pa.int32())])
        keyed = engine.map(grouped, AddKey(tree, n_blocks), schema, stage="borders")
        work = self._work(keyed, n_blocks, n_blocks + tree.n_blocks)
        rows = engine.map_keys(keyed, KEY, n_blocks + tree.n_blocks, work, work.schema, stage="groups along borders")
        rows = engine.keep(rows, stage="groups along borders")
        engine.drop(grouped)
        return rows, summaries_of(engine, rows)

    def _tree(self, grouped: Data) -> CutTree:
        """Return other blocks for the groups near borders: cuts where a sample of their rows loses least."""
        tasks = self.group.tasks
        outline, copies = tasks.outline, COPIES * tasks.outline.policy.k
        look = SampleBorders(tuple(outline.policy.quasi), SAMPLE, copies)
        found = self.engine.collect(self.engine.map(grouped, look, PICKLED, stage="borders"), stage="borders")
        survey: Survey = merged(found, SAMPLE, copies)
        if not survey.n_rows:
            return CutTree((Node(block=0),), (None,))
        number = tasks.secret.number("borders")
        return sampled_tree(survey, outline, self.size, number, only_k=self.only_k)[0]

    def _work(self, keyed: Data, first: int, n_keys: int) -> PublishGroups:
        """Return the function of each key; with t, a block along borders must be near to the table."""
        borders = range(first, n_keys)
        if not self.group.tasks.t:
            return replace(self.publish, searched=dict.fromkeys(borders, True))
        engine, outline = self.engine, self.group.tasks.outline
        names = [name for name in engine.schema(keyed).names if not name.startswith("shoal: ")]
        rows = engine.select(keyed, [*names, KEY])
        count = CountBlocks(KEY, self.columns, None, outline)
        found = engine.collect(engine.map(rows, count, COUNTED, stage="borders"), stage="borders")
        counts = BlockCounts.of(found, outline, self.columns, n_keys)
        good = counts.good(outline.policy.k)(np.eye(n_keys, dtype=np.int64))
        tasks = replace(self.group.tasks, t=counts.t_of_blocks())
        return replace(self.publish, tasks=tasks, searched={key: good[key] for key in borders})
