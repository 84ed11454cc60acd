"""Dtypes: which are the same, and which types of the graph stand for them."""
