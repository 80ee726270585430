"""Mail to people: where, about what they choose, when it is due, and a way back in."""
