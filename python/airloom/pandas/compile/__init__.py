"""Functions of Python as expressions: read from their source, and translated where they only compute."""
