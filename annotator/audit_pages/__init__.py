"""The audit trail's own rules: how its entries are sealed, and what its acts are called."""
