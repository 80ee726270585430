"""Rankings of the systems that wrote candidates: from comparisons, from ratings; no Django."""
