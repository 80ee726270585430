"""Template helpers of the annotator package."""
