"""Flags as admins answer them and as their annotators read the answer."""
