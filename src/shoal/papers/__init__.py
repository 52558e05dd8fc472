"""The papers' experiments, side by side with the figures they print."""
