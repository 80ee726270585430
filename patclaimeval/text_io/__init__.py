"""Text and JSON that come from anywhere: read strictly, refused by line."""
