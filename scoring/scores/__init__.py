"""Scores of models and metrics, and who gives them."""
