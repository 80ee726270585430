"""A clock that a test sets, in the place of the database's own."""

from datetime import datetime


def clock_query(now: datetime, vendor: str) -> str:
    """Return a query that answers with this time, as the database writes times by itself."""
    kind = "TIMESTAMPTZ" if vendor == "postgresql" else ""
    return f"SELECT {kind} '{now:%Y-%m-%d %H:%M:%S.%f}'"
