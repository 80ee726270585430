"""The audit trail as its promises are tested: entries, and statements past the program."""

from typing import Any, Final

from django.db import connection

from annotator import audit_log

EVENTS: Final = "annotator_auditevent"
SEALS: Final = "annotator_auditseal"
LENGTH: Final = 30


def ask(statement: str, *values: Any) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchall() if cursor.description else []


def write(cast, count: int = LENGTH) -> None:
    """Write so many events, and have them sealed as at the end of a transaction."""
    for number in range(count):
        audit_log.record(
            action=("rating.submitted", "cup.wäshed")[number % 2],
            actor=cast.alice if number % 3 else None,
            campaign=cast.campaign if number % 5 else None,
            object_type="cup",
            object_id=number,
            details={"number": number, "text": 'a "b" \u2028 \\ é 😀', "share": 0.5},
        )
    connection.check_constraints()


def event_of(sequence: int) -> int:
    return int(ask(f"SELECT event_id FROM {SEALS} WHERE sequence = %s", sequence)[0][0])
