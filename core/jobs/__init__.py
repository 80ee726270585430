"""Background jobs of both packages: the row is the truth, a message only wakes a worker."""
