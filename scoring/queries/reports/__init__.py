"""What the pages, files and work of agreement reports read."""
