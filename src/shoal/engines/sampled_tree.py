"""Blocks where a solved sample of the table loses least."""

from __future__ import annotations

import numpy as np

from shoal import progress
from shoal.engines.block import Shaped
from shoal.engines.cut_tree import CutTree, cut_tree
from shoal.engines.outline import Outline
from shoal.engines.survey import HASH, Survey
from shoal.partition.blocks.feasible import TIMES_K
from shoal.partition.blocks.plan import Grouped
from shoal.partition.blocks.sample import costly_rows
from shoal.partition.blocks.search import SAMPLE_EFFORT, block_size
from shoal.partition.generalization.annealing import regroup
from shoal.partition.generalization.annealing_schedule import Whole
from shoal.partition.methods.choose import choose


def sampled_tree(
    survey: Survey, outline: Outline, size: int | None, seed: int, *, only_k: bool
) -> tuple[CutTree, Whole]:
    """Return cuts of the table where a solved sample loses least, and how many rows it has, about how many costly.

    Blocks have about `size` records; k copies of a record or more count as one, if k is all that is required.
    """
    assert survey.sample is not None
    k, share, choice = outline.policy.k, survey.share, choose(outline.policy)
    sample = outline.typed(survey.sample.drop(HASH))
    space = Shaped.of(outline, sample.frame, choice).space
    together = np.zeros(len(space), dtype=np.int64)
    least = max(2, round(k * share))
    with progress.step("blocks"):
        labels = (
            together
            if len(space) < least
            else regroup(space, together, least, effort=SAMPLE_EFFORT, seed=seed).labels
        )
        most = block_size(k) if size is None else size
        counted = costly_rows(space, k) if only_k else np.ones(len(space), dtype=bool)
        tree = cut_tree(
            space,
            Grouped(np.arange(len(space)), labels),
            Shaped.of(outline, outline.table.frame.clear(), choice).space,
            counted=counted,
            size=most * share,
            least=max(1.0, TIMES_K * k * share),
        )
    return tree, Whole(survey.n_rows, max(1, round(Whole.of(space, k).n_costly / share)))
