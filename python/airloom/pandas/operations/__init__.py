"""What pandas' operations mean as plans, one file for each family."""
