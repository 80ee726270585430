"""Which candidate an annotator rates next, and the places that a candidate has."""
