"""Index labels made of columns, and columns made of index labels."""
