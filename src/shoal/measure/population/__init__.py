"""Risk in the population that a table is a sample of: estimated from the sample, or counted in a population table."""
