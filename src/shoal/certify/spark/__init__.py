"""A released table counted on a Spark cluster, by expressions of its own: no row comes to this process.

It shares no code with the engine that makes releases on Spark, and measures by other forms of the same definitions
than `shoal.certify.formulas` does.
"""
