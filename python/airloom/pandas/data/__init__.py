"""pandas' arrays as columns of the engine, and the engine's results as pandas' arrays."""
