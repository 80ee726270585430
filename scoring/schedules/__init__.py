"""Schedules: a campaign freezes, trains, reports, compares and requests promotion by itself."""
