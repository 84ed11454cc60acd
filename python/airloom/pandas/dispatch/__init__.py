"""Who does an operation: the engine where it can, else pandas."""
