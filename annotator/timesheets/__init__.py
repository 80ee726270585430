"""Timesheets: how long each annotator worked in a campaign that asks for it, never on what."""
