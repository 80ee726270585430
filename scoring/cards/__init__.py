"""The card of a dataset version: its figures, its limits, and how they read as Markdown."""
