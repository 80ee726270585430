"""Dataset versions: their pages, rows, differences and lineage."""
