"""What time it is for everybody: the clock of the database, which all processes share."""

from datetime import UTC, datetime
from typing import Final

from django.db import connection

_NOW: Final = {
    "sqlite": "SELECT STRFTIME('%Y-%m-%d %H:%M:%f', 'NOW')",
    "postgresql": "SELECT STATEMENT_TIMESTAMP()",
}


def database_now() -> datetime:
    """Return the time of the database, in UTC: a web server whose clock is wrong does no harm."""
    with connection.cursor() as cursor:
        cursor.execute(_NOW[connection.vendor])
        (found,) = cursor.fetchone()
    return datetime.fromisoformat(found).replace(tzinfo=UTC) if isinstance(found, str) else found
