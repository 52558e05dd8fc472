"""Smallest largest radius: groups of at least r around centers (Aggarwal et al. 2010, section 2)."""
