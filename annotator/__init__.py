"""The rating house, and the Django package of the whole project."""
