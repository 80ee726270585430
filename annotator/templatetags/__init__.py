"""Template helpers of the rating house."""
