"""A trained model as files: sealed, packed, and without the paths of its machine."""
