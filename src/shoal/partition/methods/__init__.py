"""Choose the method for a policy, and run it."""
