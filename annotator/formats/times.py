"""How files write a time."""

from datetime import UTC, datetime


def time_text(at: datetime) -> str:
    """Return a time that knows its zone in UTC with microseconds: 2024-03-22T16:32:50.119106Z."""
    return at.astimezone(UTC).isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"
