"""What a backup is made of: the seal around it, its list of contents, rows and files in it."""
