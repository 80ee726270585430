"""How far annotators agree."""
