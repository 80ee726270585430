"""Who sees what of datasets, and how an interface asks for it."""
