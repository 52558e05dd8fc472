"""What each column is: identifier, quasi-identifier, sensitive, person or other."""
