"""When ratings conflict, what other rules would find, and which value counts in the end."""
