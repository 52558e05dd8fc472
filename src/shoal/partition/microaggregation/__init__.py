"""Smallest squared error within groups (Laszlo and Mukherjee 2005, and what came after)."""
