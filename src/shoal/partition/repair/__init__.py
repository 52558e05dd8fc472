"""Groups changed until they meet the requirements that their method does not know."""
