"""One value for each column, or for each row."""
