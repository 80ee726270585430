"""Retraining: freeze a campaign, train its promoted models again, compare, request promotion."""
