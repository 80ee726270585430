"""Training runs, the model versions that they make, and promotions."""
