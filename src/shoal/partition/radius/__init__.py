"""Groups of at least r records around centers, with the smallest maximum radius (Aggarwal et al. 2010, section 2)."""
