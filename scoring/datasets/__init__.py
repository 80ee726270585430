"""A version of a dataset: its settings, its draft, its index, and what it changed.

The card of a dataset version: its figures, its limits, and how they read as Markdown.
"""
