"""Commands of the annotator package."""
