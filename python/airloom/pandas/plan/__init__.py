"""What a pandas program means, before it runs: rows, the columns over them, and their lowering to the graph."""
