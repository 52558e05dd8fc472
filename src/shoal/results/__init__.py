"""What a run returns: a release and its folder, a comparison."""
