"""What the pages, files and work of agreement reports read.

Finished reports as files: the stored document in, text out. No Django.
"""
