"""Smallest cellular cost: records times radius plus opening costs (Aggarwal et al. 2010, section 3)."""
