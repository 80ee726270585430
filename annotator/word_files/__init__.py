"""Claims that leave as Word documents: alone, or with tracked changes and comments."""
