"""The steps of a run, joined: from a source and a policy to a verified release."""
