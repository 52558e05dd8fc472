"""The three questions of the European guidance (WP216), measured on a release: singling out, linkability, inference.

Attacks in the manner of M. Giomi, F. Boenisch, C. Wehmeyer, B. Tasnádi: A unified framework for quantifying privacy
risk in synthetic data (PoPETs 2023). Each attack is tried on people of the table, and on people who are not in it
(the control). What succeeds no more often on the first than on the second is knowledge about people in general; only
the difference is due to having been in the table. The attackers read ranges, sets, nodes and hidden cells as well as
plain values, so they can be tried on any release and on any synthetic table.
"""
