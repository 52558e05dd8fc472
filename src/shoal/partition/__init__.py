"""Points to groups: one module per problem, each with its guarantee."""
