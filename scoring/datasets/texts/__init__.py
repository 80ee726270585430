"""Who may read the claim texts of a version."""
