"""The results of runs: a release with its folders, and a comparison."""
