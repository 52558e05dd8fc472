"""What was lost, and what risk remains."""
