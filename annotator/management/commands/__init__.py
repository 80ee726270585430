"""Commands of the rating house."""
