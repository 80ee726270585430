"""Forms that clean what people type."""
