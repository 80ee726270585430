"""Ratings as files."""
