"""The requirements and records of a policy and a table; an error if no grouping can meet the requirements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from shoal.errors import InfeasibleError
from shoal.policy import Disclosure, Diversity, Policy
from shoal.requirements.counts import Counts, Ints, Levels, Records, count
from shoal.requirements.frequencies import fewest_dropped
from shoal.requirements.k_anonymity import KAnonymity
from shoal.requirements.l_diversity import LDiversity
from shoal.requirements.requirement import TOLERANCE, Requirement
from shoal.requirements.sensitive_codes import codes_of_texts, hierarchical_codes, people_codes, sensitive_codes
from shoal.requirements.t_closeness import TCloseness
from shoal.requirements.value_shares import AlphaAnonymity, BetaLikeness, DeltaDisclosure, ShareLimit


def build(policy: Policy, frame: pl.DataFrame, *, check: bool = True) -> tuple[list[Requirement], Records]:
    """Return the requirements on every group, and the person and sensitive values of each row.

    With `check`, raises `InfeasibleError` if the whole table as one group does not meet the requirements. They are
    monotone under merging (docs/proofs/privacy.md), so if that group meets them, some grouping does. If rows may be
    suppressed, other rows may meet what all do not.
    """
    requirements: list[Requirement] = [KAnonymity(policy.k)]
    records = records_of(policy, frame)
    for name in policy.all_sensitive:
        diversity, closeness = policy.diversity_of(name), policy.closeness_of(name)
        if diversity is not None:
            requirements.append(diversity_asked(name, diversity))
        if closeness is not None:
            requirements.append(TCloseness(name, closeness.t, policy.distance_of(name)))
        if (disclosure := policy.disclosure_of(name)) is not None:
            codes, listed = records.sensitive[name], disclosure.values
            limited = None if listed is None else codes_of_texts(listed, frame[name], policy.columns[name], codes)
            requirements += disclosure_asked(name, disclosure, limited)
    records = _only_required(records, requirements)
    if check:
        check_feasible(requirements, records)
    return requirements, records


def records_of(policy: Policy, frame: pl.DataFrame, names: Sequence[str] | None = None) -> Records:
    """Return the person of each row, and its sensitive values in the form in which the requirements compare them.

    These are the columns of which l or t may be asked, or those in `names`.
    """
    sensitive: dict[str, Ints] = {}
    ancestors: dict[str, Levels] = {}
    missing: dict[str, int] = {}
    for name in policy.all_sensitive if names is None else names:
        column, distance = policy.columns[name], policy.distance_of(name)
        if distance == "hierarchical":
            coded, ancestors[name] = hierarchical_codes(frame[name], column)
        else:
            coded = sensitive_codes(frame[name], column, in_order=distance == "ordered")
        sensitive[name] = coded.codes
        if coded.missing is not None:
            missing[name] = coded.missing
    people = people_codes(frame[policy.person]) if policy.person else None
    return Records(frame.height, people, sensitive, ancestors, missing)


def diversity_asked(name: str, asked: Diversity) -> LDiversity:
    """Return the requirement that a policy's diversity is on a column."""
    return LDiversity(name, asked.l, asked.kind, asked.c, asked.count_missing)


def disclosure_asked(name: str, asked: Disclosure, limited: tuple[int, ...] | None) -> list[Requirement]:
    """Return the requirements that a policy's disclosure is on a column; alpha limits the codes `limited`, or all."""
    found: list[Requirement] = []
    if asked.alpha is not None:
        found.append(AlphaAnonymity(name, asked.alpha, limited))
    if asked.beta is not None:
        found.append(BetaLikeness(name, asked.beta, asked.kind))
    if asked.delta is not None:
        found.append(DeltaDisclosure(name, asked.delta))
    return found


def values_counted(asked: LDiversity, records: Records) -> Ints:
    """Return the codes of the values that count towards l; -1 for a missing value that does not."""
    codes, missing = records.sensitive[asked.column], records.missing.get(asked.column)
    return codes if missing is None or asked.count_missing else np.where(codes == missing, -1, codes)


def _only_required(records: Records, requirements: list[Requirement]) -> Records:
    """Return the records without sensitive columns that have no requirement: groups must not depend on them."""
    asked = {one.column for one in requirements if isinstance(one, LDiversity | TCloseness | ShareLimit)}
    return replace(
        records,
        sensitive={name: codes for name, codes in records.sensitive.items() if name in asked},
        ancestors={name: above for name, above in records.ancestors.items() if name in asked},
    )


def check_feasible(requirements: list[Requirement], records: Records) -> None:
    """Raise an `InfeasibleError`, with the way out, if the whole table as one group does not meet a requirement."""
    for requirement in requirements:
        if isinstance(requirement, KAnonymity):
            if records.n_rows < requirement.k:
                raise InfeasibleError.too_few_rows(records.n_rows, requirement.k)
            if records.n_people < requirement.k:
                raise InfeasibleError.too_few_people(records.n_people, requirement.k)
    whole = count(np.zeros(records.n_rows, dtype=np.int64), records)
    for requirement in requirements:
        if isinstance(requirement, LDiversity) and not requirement.holds(whole).all():
            raise _too_diverse(requirement, float(requirement.measure(whole)[0]), whole, records)
        if isinstance(requirement, AlphaAnonymity) and not requirement.holds(whole).all():
            raise _too_frequent(requirement, float(requirement.measure(whole)[0]))


def _too_diverse(asked: LDiversity, found: float, whole: Counts, records: Records) -> InfeasibleError:
    """Return the error for an l that cannot be met, with the ways out.

    They are a smaller l, or suppressing rows of the values that are too frequent (Lemma 5).
    """
    largest = math.floor((found + TOLERANCE) * 1000) / 1000
    recursive = f" with c={asked.c:g}" if asked.c is not None else ""
    unknown = 0 if asked.count_missing else _n_missing(asked.column, records)
    if largest >= 1:
        out = f"lower l of {asked.column} to {largest:g} or less"
    elif asked.kind == "recursive":
        out = f"raise c of {asked.column}, or choose another kind of diversity"
    else:
        out = f"give {asked.column} another role, as it has too few known values"
    if unknown:
        out += ", or count missing as a value (count_missing = true)"
    unmet = f"l={asked.l:g} ({asked.kind}{recursive}) cannot be met in column {asked.column}: "
    without = f", in which {unknown} missing cells do not count" if unknown else ""
    reached = f"the whole table as one group reaches l={largest:g}{without}."
    if asked.kind == "distinct":
        return InfeasibleError(f"{unmet}{reached}", f"{out}.")
    if asked.kind == "frequency" and records.people is None:
        counts = whole.totals[asked.column].copy()
        if unknown:
            counts[records.missing[asked.column]] = 0
        n_rows = records.n_rows - unknown
        most, allowed = int(counts.max()), math.floor(n_rows / asked.l + TOLERANCE)
        dropped = fewest_dropped(counts, asked.l).dropped
        suppress = f", or leave out {dropped} rows with its most frequent values" if dropped < n_rows else ""
        return InfeasibleError(
            f"{unmet}its most frequent value is held by {most} of {n_rows} rows, {most - allowed} too many; "
            f"{reached}",
            f"{out}{suppress}.",
        )
    return InfeasibleError(f"{unmet}{reached}", f"{out}, or leave out rows with its most frequent value.")


def _too_frequent(asked: AlphaAnonymity, found: float) -> InfeasibleError:
    """Return the error for an alpha that the whole table as one group exceeds."""
    least = math.ceil((found - TOLERANCE) * 1000) / 1000
    which = "one of the listed values" if asked.codes is not None else "its most frequent value"
    return InfeasibleError(
        f"alpha={asked.alpha:g} cannot be met in column {asked.column}: {which} has a share of {least:g} in the "
        "whole table.",
        f"raise alpha of {asked.column} to {least:g} or more, or list in `values` only those that must not be "
        "inferred.",
    )


def _n_missing(name: str, records: Records) -> int:
    """Return the number of rows in which the value of a column is missing."""
    return int(np.count_nonzero(records.sensitive[name] == records.missing[name])) if name in records.missing else 0
