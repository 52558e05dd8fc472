"""Recoding columns into classes before records are grouped: labels, and areas of places and regions."""
