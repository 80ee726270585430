"""Which references of a campaign teach the model most: the order in which they are rated."""
