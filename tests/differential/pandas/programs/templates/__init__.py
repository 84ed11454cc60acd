"""The statements that programs are made of, by what they do."""
