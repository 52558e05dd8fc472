"""Microaggregation: groups with the smallest squared error (Laszlo and Mukherjee 2005, and later work)."""
