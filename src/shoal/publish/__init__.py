"""Groups as a table that may be released."""
