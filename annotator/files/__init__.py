"""Files as the disk gives and takes them: whole ones, hashed names, no room left."""
