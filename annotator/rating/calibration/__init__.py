"""Calibration: candidates with agreed scores that each annotator rates first, outside the data."""
