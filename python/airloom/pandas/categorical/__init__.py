"""Categories: their codes, and the accessor `cat`."""
