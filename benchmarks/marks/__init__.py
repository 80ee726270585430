"""Edits of claim sets for `mark_precision.py`, and what a claim chart must say of each."""
