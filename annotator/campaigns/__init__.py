"""Campaigns: rules, progress, notices."""
