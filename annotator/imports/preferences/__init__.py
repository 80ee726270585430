"""Preferences that come in, with the texts that they compare."""
