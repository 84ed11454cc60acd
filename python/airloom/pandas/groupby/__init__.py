"""Groups: their keys, and what is computed of each."""
