"""The REST door of the rating house."""
