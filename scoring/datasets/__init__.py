"""Dataset versions: frozen, described, compared, exported."""
