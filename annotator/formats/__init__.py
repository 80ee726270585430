"""Strict readers and writers of files: claim sets, ratings, preferences."""
