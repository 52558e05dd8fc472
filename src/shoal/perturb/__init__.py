"""Changing the values of columns by chance so that statistics are kept: PRAM, rank swapping, noise."""
