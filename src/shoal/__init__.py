"""Shoal publishes a table about people so that nobody in it can be singled out, and proves it."""

from shoal._version import __version__

__all__ = ["__version__"]
