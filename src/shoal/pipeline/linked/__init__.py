"""Anonymizing several tables about the same people together (PRIVACY-11, docs/proofs/privacy.md)."""
