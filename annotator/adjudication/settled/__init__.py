"""The settled value of each candidate, derived from ratings and rulings."""
