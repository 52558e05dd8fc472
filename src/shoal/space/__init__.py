"""Columns as points of a metric space, and their neighbours."""
