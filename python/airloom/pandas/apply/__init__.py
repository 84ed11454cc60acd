"""Functions applied to values, rows and columns, and expressions written as text."""
