"""Re-reads a released table and counts; shares no code with what made it."""
