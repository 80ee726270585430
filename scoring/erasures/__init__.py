"""Erasing what a client takes back, from dataset versions too."""
