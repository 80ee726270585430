"""A dataset version in the making."""
