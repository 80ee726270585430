"""Finished reports as files: the stored document in, text out. No Django."""
