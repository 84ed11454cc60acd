"""Functions of users, compiled: from Python's syntax to expressions."""
