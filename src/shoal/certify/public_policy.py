"""What of a policy a stranger needs to check a release, in one form of writing, and the files that belong to it."""

from __future__ import annotations

import json
from typing import Any

from shoal.certify.areas import map_file
from shoal.certify.files import LEGEND, RESERVED, is_plain
from shoal.errors import ShoalError
from shoal.policy import Column, Policy


def public_part(policy: Policy, form: str) -> dict[str, Any]:
    """Roles, requirements and form: what a stranger needs to check a release, without paths, seed or settings."""
    asked = policy.model_dump(
        mode="json", include={"k", "ranges", "diversity", "closeness"}, exclude_none=True, exclude_defaults=True
    )
    columns = {name: _public(name, column, policy) for name, column in policy.columns.items()}
    return {"k": policy.k, "publication": form} | asked | {"columns": columns}


def _public(name: str, column: Column, policy: Policy) -> dict[str, Any]:
    kept = {"role", "classes"} | (
        {"order", "bins", "diversity", "closeness"}
        if column.role == "sensitive"
        else {"longitude", "shape", "grid", "round_ranges"}
    )
    found = column.model_dump(mode="json", include=kept, exclude_none=True, exclude_defaults=True)
    if _by_hierarchy(name, policy) and column.hierarchy is not None:
        told = column.hierarchy.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
        found["hierarchy"] = told if column.hierarchy.file is None else {"file": column.hierarchy.file.name}
    if column.role == "quasi" and column.map is not None:
        found["map"] = {"edges": map_file(name)}
    return found


def _by_hierarchy(name: str, policy: Policy) -> bool:
    """Whether t of this column is counted on its hierarchy."""
    asked = policy.closeness_of(name) if policy.columns[name].role == "sensitive" else None
    return asked is not None and asked.distance == "hierarchical"


def files_beside(policy: Policy) -> list[str]:
    """The files that a release of this policy has beside its table, certificate and signature, each once."""
    return list(dict.fromkeys([*([LEGEND] if policy.recoded else []), *_named(policy)]))


def _named(policy: Policy) -> list[str]:
    """The files that the columns of a policy name: maps and hierarchies."""
    found = []
    for name, column in policy.columns.items():
        if column.role == "quasi" and column.map is not None:
            found.append(map_file(name))
        source = column.hierarchy
        if _by_hierarchy(name, policy) and source is not None and source.file is not None:
            found.append(source.file.name)
    return found


def read_policy(told: Any, form: str) -> Policy | None:
    """The policy of a certificate; None where it is not written as `public_part` writes it, or names a path."""
    try:
        found = Policy.parse(told)
    except (ShoalError, TypeError, ValueError, RecursionError):
        return None
    if _text(public_part(found, form)) != _text(told):
        return None
    return found if all(is_plain(name) and name not in RESERVED for name in _named(found)) else None


def _text(found: Any) -> str:
    """Equal for what is equal in kind too: 1, 1.0 and true are three things."""
    return json.dumps(found, sort_keys=True, ensure_ascii=False)
