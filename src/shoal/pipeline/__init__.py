"""The steps of a run in order, from a source and a policy to a verified release."""
