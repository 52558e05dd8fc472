"""Presentation of certificates and measures for people; nothing is computed here."""
