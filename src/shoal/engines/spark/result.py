"""A release as a Spark frame: the rows that would be written, in their final order, and verified where they are."""

from __future__ import annotations

from typing import Any

from shoal.certify import Findings
from shoal.certify.spark.count import inspect_rows
from shoal.certify.spark.rows import of_frame
from shoal.engines.columns import CLASS, ROW
from shoal.engines.people_numbers import with_numbered_people
from shoal.engines.release import Rows
from shoal.engines.spark.engine import SparkData, SparkEngine
from shoal.errors import ParameterError


def verified_frame(rows: Rows) -> tuple[Any, Findings]:
    """Return the released rows as a Spark frame in random order, and what the verifier found; an error if they fail.

    The rows are kept by the engine until it is closed.
    """
    engine = rows.engine
    if not isinstance(engine, SparkEngine):
        raise ParameterError("only a release that was made on Spark can be a frame of Spark.", "write it instead.")
    data: SparkData = rows.data
    person = rows.policy.person
    if person is not None:
        data = with_numbered_people(engine, data, person, rows.n_rows)
    kept = engine.keep(engine.in_order(data, [CLASS, ROW]), stage="release")
    frame = engine.frame_of(engine.select(kept, rows.schema.names))
    return frame, inspect_rows(of_frame(frame), rows.policy, rows.choice.form).require()
