"""Forms of the measuring house: they clean what people type and never save."""
