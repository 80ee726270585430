"""Webhooks of a campaign: programs elsewhere that get its events, without any text."""
