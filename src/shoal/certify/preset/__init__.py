"""Check released cells against a preset, line by line. It shares no code with what proposes a policy by a preset."""
