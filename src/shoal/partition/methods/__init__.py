"""Which algorithm a policy gets, and running it."""
