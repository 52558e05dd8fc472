"""The verifier: checks a released table against a policy by reading the released file and counting again.

It shares no code with the modules that make a release, so one mistake cannot be in both.
"""

from shoal.certify.certificate import PRIVATE, Certificate, issue
from shoal.certify.criteria import inspect
from shoal.certify.facts import ClassFacts, Facts, KeepsMore
from shoal.certify.files import sha256_of
from shoal.certify.findings import Claim, Failure, Findings
from shoal.certify.legend import read_legend
from shoal.certify.public_policy import public_part
from shoal.certify.stated import certified_policy, released_file
from shoal.certify.verifier import verify
from shoal.tables import interrupted

__all__ = [
    "PRIVATE",
    "Certificate",
    "Claim",
    "ClassFacts",
    "Facts",
    "Failure",
    "Findings",
    "KeepsMore",
    "certified_policy",
    "inspect",
    "interrupted",
    "issue",
    "public_part",
    "read_legend",
    "released_file",
    "sha256_of",
    "verify",
]
