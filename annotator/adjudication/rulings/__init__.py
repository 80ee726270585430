"""Rulings: the page, the form, the signature."""
