"""Dataset versions as files."""
