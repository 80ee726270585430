"""Reads of the measuring house."""
