"""Reads of the rating house, one file per screen family."""
