"""Who may do what, and who sees what."""
