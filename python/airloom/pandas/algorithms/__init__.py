"""What operations of all families are made of: values by position and by label, in order, without duplicates."""
