"""The role of each column: identifier, quasi-identifier, sensitive, person or other."""

from __future__ import annotations

from shoal.roles.as_read import compared, labeled
from shoal.roles.codes import is_code
from shoal.roles.column_profile import ColumnProfile
from shoal.roles.date_formats import says_birth
from shoal.roles.default_kinds import with_default_kinds
from shoal.roles.kinds import as_kind, kind_of
from shoal.roles.null_values import without_null_values
from shoal.roles.profile_remarks import remarks
from shoal.roles.resolve import assign, typed
from shoal.roles.suggest import suggest_policy
from shoal.roles.table_profile import Profile, RiskBefore, profile
from shoal.roles.uniqueness import Combination, Uniqueness
from shoal.roles.written_numbers import decimals_as_read, with_decimal_commas, with_decimals, with_numbers

__all__ = [
    "ColumnProfile",
    "Combination",
    "Profile",
    "RiskBefore",
    "Uniqueness",
    "as_kind",
    "assign",
    "compared",
    "decimals_as_read",
    "is_code",
    "kind_of",
    "labeled",
    "profile",
    "remarks",
    "says_birth",
    "suggest_policy",
    "typed",
    "with_decimal_commas",
    "with_decimals",
    "with_default_kinds",
    "with_numbers",
    "without_null_values",
]
