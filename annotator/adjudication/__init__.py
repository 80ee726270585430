"""What annotators disagree on, and how it is settled."""
