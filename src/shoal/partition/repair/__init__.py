"""Groups are merged, or exchange records, until they meet requirements that their method does not handle itself."""
