"""Claim sets that come in."""
