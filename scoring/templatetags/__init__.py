"""Template helpers of the scoring package."""
