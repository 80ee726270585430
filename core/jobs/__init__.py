"""Background jobs of both houses: the database row is the truth, the broker only a doorbell."""
