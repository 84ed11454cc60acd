"""What crosses between pandas' arrays and plans, and what an object of ours holds."""
