"""Writes of the rating house, one verb family a file."""
