"""Columns whose cells are sets of items: reading the items, and recoding them until no combination is rare."""
