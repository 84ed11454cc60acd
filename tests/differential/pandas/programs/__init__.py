"""Random programs over pandas: written, run on pandas and on airloom, compared in all that a user can see, made small, and kept."""
