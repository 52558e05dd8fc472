"""Groups in which sensitive values differ, of smallest radius (Li, Yi and Zhang 2010)."""
