"""Operators: arithmetic, comparisons, functions of NumPy's, casts, aggregates and running results."""
