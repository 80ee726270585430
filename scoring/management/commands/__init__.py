"""Commands of the scoring package."""
