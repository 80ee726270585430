"""Screens of the rating house."""
