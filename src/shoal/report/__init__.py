"""Certificate and measures for people; computes nothing."""
