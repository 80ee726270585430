"""Writes of the measuring house."""
