"""Agreement reports: asked for, computed, read as pages and files."""
