"""The public part of a policy, which anyone needs to check a release, and the files that belong to it.

Every policy has exactly one public form, so that a certificate cannot carry anything else in it.
"""

from __future__ import annotations

import json
from typing import Any

from shoal.certify.areas import map_file
from shoal.certify.files import LEGEND, METADATA, RESERVED, is_plain
from shoal.errors import ShoalError
from shoal.policy import Closeness, Column, Perturbation, Policy
from shoal.tables.encodings import WRITABLE

_WRITTEN = ("format", "language", "first_year", "number")
"""How dates and numbers are written, which a reader of the release needs to know."""
_RECODED = ("top", "bottom", "round")
"""How values were recoded before groups were made, which a reader needs to understand `>=90`."""


def public_part(policy: Policy, form: str) -> dict[str, Any]:
    """Return the part of a policy that is published: the roles, the requirements and the form of the release.

    `source` has the encoding of the released file where that is not UTF-8. Paths, the seed and all settings of the
    method are omitted: they are not needed to check a release, and could reveal something about the original table.
    """
    asked = policy.model_dump(
        mode="json",
        include={"k", "ranges", "synthetic", "max_groups", "keys", "diversity", "closeness", "disclosure"},
        exclude_none=True,
        exclude_defaults=True,
    )
    columns = {name: _public(name, column, policy) for name, column in policy.columns.items()}
    if policy.metadata is not None and policy.metadata.formats:  # made for publication, and so that it can be checked
        asked["metadata"] = policy.metadata.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    if policy.source.encoding is not None:
        asked["source"] = {"encoding": policy.source.encoding}
    if policy.set_column is not None:
        asked["m"] = policy.known_items  # also where it is the default, so that a claim never depends on that
    return {"k": policy.k, "publication": form} | asked | {"columns": columns}


def _public(name: str, column: Column, policy: Policy) -> dict[str, Any]:
    """Return the settings of one column that are published; files are named without their folder."""
    kept = {"role", "classes", "consistent", "pseudonym", *_WRITTEN, *_RECODED} | (
        {"order", "bins", "diversity", "closeness", "disclosure"}
        if column.role == "sensitive"
        else {"longitude", "shape", "grid", "round_ranges", "relative_to", "origin"}
    )
    if column.role == "quasi":
        kept |= {"order"} if policy.synthetic is not None else set()  # what lies between two ends can be checked
        kept |= {"diversity"}  # cells can show part of its diversity, but nothing of what is required of true values
    found = column.model_dump(mode="json", include=kept, exclude_none=True, exclude_defaults=True)
    if column.is_set:
        found["kind"] = "set"
        found |= column.model_dump(mode="json", include={"separator"}, exclude_defaults=True)
    if column.merge is not None:  # the merged values may be rare ones, which nobody else needs to know
        found["merge"] = {
            label: values if isinstance(values, int) else len(values) for label, values in column.merge.items()
        }
    if column.perturb is not None:
        found["perturb"] = _perturbation(column.perturb, policy)
    marked = column.role == "quasi" and column.diversity is not None  # nodes do not show how many values they hold
    if (marked or _by_hierarchy(name, policy)) and column.hierarchy is not None:
        reported = column.hierarchy.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
        found["hierarchy"] = reported if column.hierarchy.file is None else {"file": column.hierarchy.file.name}
    if column.role == "quasi" and column.map is not None:
        found["map"] = {"edges": map_file(name)}
    return found


def _perturbation(asked: Perturbation, policy: Policy) -> dict[str, Any]:
    """Return a perturbation as it is published; groups of columns are numbered, so that their names say nothing.

    The parameters let readers judge and correct for it. They undo nothing: every draw comes from the secret.
    """
    found = asked.model_dump(mode="json", exclude_none=True)
    if asked.group is not None:
        parts = [policy.columns[name].perturb for name in policy.perturbed]
        named = list(dict.fromkeys(part.group for part in parts if part is not None and part.group is not None))
        found["group"] = str(named.index(asked.group) + 1)
    return found


def _by_hierarchy(name: str, policy: Policy) -> bool:
    """Return whether the policy requires t-closeness of this column by hierarchical distance."""
    return policy.columns[name].role == "sensitive" and policy.distance_of(name) == "hierarchical"


def files_beside(policy: Policy) -> list[str]:
    """Return the names of the legend, maps, hierarchies and descriptions that a release must have, each once."""
    described = [METADATA[name] for name in policy.metadata.formats] if policy.metadata is not None else []
    return list(dict.fromkeys([*([LEGEND] if policy.recoded else []), *_named(policy), *described]))


def _named(policy: Policy) -> list[str]:
    """Return the names of the published maps and hierarchies of a policy, column by column."""
    found = []
    for name, column in policy.columns.items():
        if column.role == "quasi" and column.map is not None:
            found.append(map_file(name))
        source = column.hierarchy
        if _by_hierarchy(name, policy) and source is not None and source.file is not None:
            found.append(source.file.name)
    return found


def read_policy(reported: Any, form: str) -> Policy | None:
    """Return the policy in a certificate; None where it is refused.

    It must be written exactly as `public_part` writes it, so that no extra setting or hidden text gets through. The
    files it names must be plain names and not those of a table, certificate, legend or signature, so that a forged
    policy cannot make the verifier read a file outside the folder, or use one file for two purposes.
    """
    try:
        found = Policy.parse(reported)
    except (ShoalError, TypeError, ValueError, RecursionError):
        return None
    if _text(public_part(found, form)) != _text(reported):
        return None
    if found.source.encoding is not None and found.source.encoding not in WRITABLE:
        return None  # Shoal writes no such encoding, and some codecs of Python decode any bytes to any text
    return found if all(is_plain(name) and name not in RESERVED for name in _named(found)) else None


def as_certified(policy: Policy) -> Policy:
    """Return the policy of a certificate with the equal distance, once the default, where none is stated."""

    def equal(asked: Closeness | None) -> Closeness | None:
        if asked is None or asked.distance != "auto":
            return asked
        return asked.model_copy(update={"distance": "equal"})

    columns = {
        name: column.model_copy(update={"closeness": equal(column.closeness)})
        for name, column in policy.columns.items()
    }
    return policy.model_copy(update={"closeness": equal(policy.closeness), "columns": columns})


def _text(found: Any) -> str:
    """Return a text that is equal only for values equal in type too: Python takes 1, 1.0 and True for equal."""
    return json.dumps(found, sort_keys=True, ensure_ascii=False)
