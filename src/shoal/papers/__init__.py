"""Repeat the experiments of the papers, and show each result beside the figure that the paper prints."""
