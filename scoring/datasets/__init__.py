"""A version of a dataset: its settings, its draft, its index, and what it changed."""
