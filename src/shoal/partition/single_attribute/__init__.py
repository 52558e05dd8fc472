"""Generalizing one attribute: intervals, labels, regions of a map, places (Du, Eppstein, Goodrich, Lueker 2009)."""
