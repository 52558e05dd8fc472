"""Shoal publishes a table about people so that nobody in it can be singled out by what others know of them.

>>> import shoal
>>> release = shoal.anonymize("visits.csv", "policy.toml")  # doctest: +SKIP
>>> release.write("out")  # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from shoal._version import __version__

if TYPE_CHECKING:
    from shoal.api import (
        anonymize,
        anonymize_tables,
        apply,
        attack,
        compare,
        dossier,
        hierarchy,
        population_risk,
        profile,
        read_release,
        recover,
        utility,
    )
    from shoal.certify import Certificate, Findings, verify
    from shoal.certify.linked.counting import LinkedFindings
    from shoal.certify.linked.verifier import verify_tables
    from shoal.engines.folder import LargeRelease
    from shoal.errors import (
        CertificateError,
        EngineError,
        InfeasibleError,
        ParameterError,
        SchemaError,
        ShoalError,
        TableError,
    )
    from shoal.measure import Attacks, Loss, PopulationRisk, Risk, Utility
    from shoal.pipeline.derive_hierarchy import Derived
    from shoal.plans import Plan
    from shoal.policy import Closeness, Column, Disclosure, Diversity, Hierarchy, Policy
    from shoal.results.comparison import Comparison
    from shoal.results.linked import LinkedRelease
    from shoal.results.release import Release
    from shoal.roles import Profile

__all__ = [
    "Attacks",
    "Certificate",
    "CertificateError",
    "Closeness",
    "Column",
    "Comparison",
    "Derived",
    "Disclosure",
    "Diversity",
    "EngineError",
    "Findings",
    "Hierarchy",
    "InfeasibleError",
    "LargeRelease",
    "LinkedFindings",
    "LinkedRelease",
    "Loss",
    "ParameterError",
    "Plan",
    "Policy",
    "PopulationRisk",
    "Profile",
    "Release",
    "Risk",
    "SchemaError",
    "ShoalError",
    "TableError",
    "Utility",
    "__version__",
    "anonymize",
    "anonymize_tables",
    "apply",
    "attack",
    "compare",
    "dossier",
    "hierarchy",
    "population_risk",
    "profile",
    "read_release",
    "recover",
    "utility",
    "verify",
    "verify_tables",
]

# Imported when first used, so that `import shoal` and `shoal --help` wait for nothing.
_HOMES = {
    "api": (
        "anonymize",
        "anonymize_tables",
        "apply",
        "attack",
        "compare",
        "dossier",
        "hierarchy",
        "population_risk",
        "profile",
        "read_release",
        "recover",
        "utility",
    ),
    "certify": ("Certificate", "Findings", "verify"),
    "certify.linked.counting": ("LinkedFindings",),
    "certify.linked.verifier": ("verify_tables",),
    "results.comparison": ("Comparison",),
    "engines.folder": ("LargeRelease",),
    "results.linked": ("LinkedRelease",),
    "errors": tuple(name for name in __all__ if name.endswith("Error")),
    "measure": ("Attacks", "Loss", "PopulationRisk", "Risk", "Utility"),
    "pipeline.derive_hierarchy": ("Derived",),
    "plans": ("Plan",),
    "policy": ("Closeness", "Column", "Disclosure", "Diversity", "Hierarchy", "Policy"),
    "results.release": ("Release",),
    "roles": ("Profile",),
}
_HOME = {name: f"shoal.{module}" for module, names in _HOMES.items() for name in names}


if not TYPE_CHECKING:  # a type checker would otherwise accept every name, also a misspelled one

    def __getattr__(name: str) -> Any:
        if name not in _HOME:
            raise AttributeError(f"module 'shoal' has no attribute {name!r}")
        return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
