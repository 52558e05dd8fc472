"""Groups with l different sensitive values and the smallest maximum radius (Li, Yi and Zhang 2010)."""
