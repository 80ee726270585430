"""XML of patent offices: WIPO ST.36 (USPTO red book, EPO, OPS) and ST.96, told apart by names."""
