"""Compiled loops: arrays in, arrays out, no validation, nothing of ours imported."""
