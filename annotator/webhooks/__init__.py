"""Webhooks of a campaign: programs elsewhere that are told of its events, without any text."""
