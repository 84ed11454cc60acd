"""Running plans: one program for what is asked now and what else needs the same rows."""
