"""What settings may be, and what is refused of them."""
