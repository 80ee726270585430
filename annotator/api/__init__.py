"""The REST doors of the rating house."""
