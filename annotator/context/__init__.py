"""Description, abstract and drawings of a reference, shown beside its claims."""
