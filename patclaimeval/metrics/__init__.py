"""Published metrics, one a file, behind one small interface and loaded by name."""
