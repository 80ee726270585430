"""Screens of the measuring house."""
