"""Agreement of scorers with people: statistics and the report, without Django and torch."""
