"""Verify linked tables that were released together: people are counted over all tables (PRIVACY-11)."""
