"""Methods that give each row another value: what is missing filled in, values replaced, chosen, combined."""
