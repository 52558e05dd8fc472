"""Groups whose sensitive values are balanced: the search for l and t."""
