"""The accessor `str`."""
