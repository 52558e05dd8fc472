"""Error messages about a policy: one sentence that names the key and its line."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pydantic import ValidationError
from pydantic_core import PydanticCustomError

from shoal.errors import ParameterError, SchemaError
from shoal.policy.toml_text import line_of


def misplaced(keys: tuple[str, ...], reason: str) -> PydanticCustomError:
    """Return an error of the policy as a whole that is due to one key."""
    return PydanticCustomError("misplaced", "{reason}", {"reason": reason, "keys": keys})


def first_problem(
    found: ValidationError, text: str, origin: str, known_keys: Callable[[Sequence[str]], Sequence[str]]
) -> ParameterError | SchemaError:
    """Return the error for the first problem, with its line in the TOML file or its column."""
    problem = found.errors()[0]
    keys = problem.get("ctx", {}).get("keys") or _keys(problem["loc"])
    line = line_of(text, keys)
    place = f"{origin}, line {line}" if line else origin
    more = len({tuple(_keys(other["loc"])) for other in found.errors()}) - 1
    also = f" ({more} more)" if more else ""
    name = ".".join(keys) or "the policy"
    if problem["type"] == "extra_forbidden":
        known = known_keys(keys[:-1])
        return SchemaError(f"{place}: {name} is not a setting{also}.", f"known here: {', '.join(known)}.")
    if problem["type"] == "missing":
        return SchemaError(f"{place}: {name} is missing{also}.")
    if problem["type"] in ("model_type", "dict_type"):
        return ParameterError(f"{place}: {name} takes settings, not one value{also}.", f"such as [{name}].")
    # a value may have several forms; the sentence names them all
    forms = [other["msg"] for other in found.errors() if other["loc"] and _keys(other["loc"]) == keys]
    reason = " or ".join([problem["msg"], *(form.removeprefix("Input should be ") for form in forms[1:])])
    reason = reason.removeprefix("Value error, ").replace("valid tuple", "list")
    reason = reason[:1].lower() + reason[1:]
    return ParameterError(f"{place}: {name}: {reason}{also}.")


def _keys(location: Sequence[str | int]) -> list[str]:
    """Return the keys as they are in the file, without the branches of unions that pydantic adds to a location."""
    steps = [str(step) for step in location]
    free = 2 if steps[:1] in (["columns"], ["keys"]) else 1  # a column or key set may have any name
    branches = ("literal[", "constrained-", "float", "function-", "tuple[")
    return steps[:free] + [step for step in steps[free:] if not step.startswith(branches)]
