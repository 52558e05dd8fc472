"""Errors of Spark as errors of Shoal: one sentence without cell values, and ours come back from workers as they were.

Spark repeats what a function on a worker raised with its whole text, which may quote cells. So a function there
raises nothing but `OnWorker`, whose text is an error of Shoal in a fixed notation, or the name of a type.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager

from shoal import errors
from shoal.errors import EngineError, ShoalError

_MARK = re.compile(r"shoal-error:([A-Za-z0-9+/=]+):")
_OTHER = re.compile(r"shoal-failed-with:([A-Za-z0-9_]{1,80}):")
_CLASSES = {
    kind.__name__: kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, ShoalError) and kind is not ShoalError
}


class OnWorker(Exception):  # noqa: N818 (it is raised on workers, and never reaches a user)
    """What a function on a worker raised, as text without cell values."""


def on_worker(raised: BaseException) -> OnWorker:
    """Return what a worker raises in the place of an error of its function."""
    if isinstance(raised, ShoalError) and type(raised).__name__ in _CLASSES:
        told = json.dumps([type(raised).__name__, raised.message, raised.hint])
        return OnWorker(f"shoal-error:{base64.b64encode(told.encode()).decode()}:")
    return OnWorker(f"shoal-failed-with:{type(raised).__name__}:")


@contextmanager
def spark_errors(stage: str) -> Iterator[None]:
    """Raise an error of Spark during the block as one of Shoal; `stage` is the step that it belongs to."""
    try:
        yield
    except ShoalError:
        raise
    except Exception as raised:
        raise as_ours(raised, stage) from None


def as_ours(raised: Exception, stage: str) -> ShoalError:
    """Return the error of Shoal for an error of Spark."""
    text = str(raised)
    if found := _MARK.search(text):
        name, message, hint = json.loads(base64.b64decode(found[1]))
        return _CLASSES.get(name, EngineError)(message, hint)
    if "No module named 'shoal" in text:
        return EngineError(
            "Shoal is not installed where the workers of Spark run.",
            "install the same version on every node, and set PYSPARK_PYTHON to that Python.",
        )
    if found := re.search(r"No module named '([A-Za-z0-9_.]{1,80})'", text):
        return EngineError(
            f"the Python of the workers has no module {found[1]}.",
            "install shoal[spark] on every node, and set PYSPARK_PYTHON to that Python.",
        )
    if "PYTHON_VERSION_MISMATCH" in text:
        return EngineError(
            "the workers of Spark run another version of Python than this process.",
            "set PYSPARK_PYTHON to the same version on every node.",
        )
    if "maxResultSize" in text:
        return EngineError(
            f"Spark refused to send the result of the step {stage} to this process: it is too large.",
            "raise spark.driver.maxResultSize.",
        )
    found = _OTHER.search(text)
    return EngineError(
        f"Spark could not finish the step {stage} ({found[1] if found else _kind(raised)}).",
        "see the state of the cluster and its workers' logs; nothing was written.",
    )


def _kind(raised: Exception) -> str:
    """Return what Spark calls an error, or else its type: neither quotes a cell."""
    condition = getattr(raised, "getCondition", None)
    try:
        found = condition() if callable(condition) else None
    except Exception:  # the gateway to Java may be gone
        found = None
    return found if isinstance(found, str) and re.fullmatch(r"[A-Za-z0-9_.]{1,120}", found) else type(raised).__name__
