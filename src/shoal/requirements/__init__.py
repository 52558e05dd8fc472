"""What a group must meet: predicates on the counts of people in it."""
