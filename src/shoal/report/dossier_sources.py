"""Where each item of a dossier comes from, and what it answers in a standard or a guidance."""

from __future__ import annotations

POLICY, COUNTED = "stated by people, in the policy", "counted on the released file"
ORIGINAL = "computed from the original table"

SOURCES: tuple[tuple[str, str, str, str, str], ...] = (
    ("Responsible for the data", POLICY, "9.2.2 roles and responsibilities", "", ""),
    ("Purpose", POLICY, "6.3.2 transparency of actions", "", "context and objectives of the anonymization"),
    (
        "Recipients",
        POLICY,
        "6.2.2 security and privacy practices",
        "anticipated recipient",
        "who may hold other data",
    ),
    (
        "Access: public or controlled",
        POLICY,
        "6.2.2, 8.3.2 reconfiguring the environment",
        "anticipated recipient",
        "",
    ),
    ("Conditions for recipients", POLICY, "8.3.2 reconfiguring the environment", "data use agreement", ""),
    (
        "Earlier releases of the same people",
        POLICY,
        "7.2.5 dataset properties",
        "data source availability",
        "linkability",
    ),
    ("Rows, people, columns", ORIGINAL, "7.2.2 data principals, 7.2.5 dataset properties", "", ""),
    (
        "Role of every column, and its reason",
        "proposed by the profile, decided in the policy",
        "7.2.3 data type, 7.2.4 attribute types",
        "replicability, data source availability, distinguishability",
        "singling out",
    ),
    (
        "How it was made",
        "kept in the private certificate",
        "8.3.3 transforming the data",
        "methods and results",
        "",
    ),
    (
        "Attackers and assumptions",
        "fixed by the program",
        "6.2.3 motives and capacity, 7.3 attack modelling",
        "assess risk",
        "all three",
    ),
    (
        "Thresholds, why, and when decided",
        POLICY,
        "7.3.4 data privacy models",
        "very small risk",
        "singling out, inference",
    ),
    (
        "Required and found",
        COUNTED,
        "8.2.2 quantifying identifiability",
        "methods and results",
        "singling out, inference",
    ),
    (
        "Attacks on the release",
        "run with the original table",
        "8.2.3 adversarial testing",
        "methods and results",
        "all three",
    ),
    ("Risk before and after", ORIGINAL, "7.3.2 maximum or average risk, 8.2.2", "very small risk", "singling out"),
    ("Three questions", ORIGINAL, "8.2.2 quantifying identifiability", "", "singling out, linkability, inference"),
    (
        "Not protected against",
        "follows from the policy, with counts",
        "8.2.2 quantifying identifiability",
        "very small risk",
        "residual risk",
    ),
    ("HIPAA Safe Harbor", COUNTED, "", "the other method, (b)(2)", ""),
    ("Remaining utility", ORIGINAL, "8.3.3 transforming the data", "", ""),
    (
        "Residual risk accepted",
        POLICY,
        "6.3.3 privacy-related harms, 8.3.4 re-evaluation",
        "very small risk",
        "residual risk",
    ),
    (
        "Made by, approved by, signature",
        POLICY,
        "9.2.2 roles and responsibilities",
        "person with appropriate knowledge",
        "",
    ),
    (
        "Review date",
        POLICY,
        "9.3.2 monitoring the data environment",
        "time-limited determination",
        "residual risk monitored",
    ),
    (
        "Version, digests, original file, how to check again",
        COUNTED,
        "9.2.4 managing a data disclosure",
        "documents the methods and results",
        "",
    ),
)
"""Per item: what makes it, the clause of ISO/IEC 27559, the heading of the guidance, and the question it answers."""
