"""Strict readers of the files that bring claim sets, and the one JSON reader of the project."""
