"""The items behind the figures of a report: listed, opened, saved as a file."""
