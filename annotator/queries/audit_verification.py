"""Whether the audit trail is what it was when it was written: every seal worked out again."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Final, Self

from django.db import connection

from annotator.audit.chain import BEFORE_THE_FIRST, seal
from annotator.models import AuditEvent, AuditSeal
from annotator.queries.one_moment import one_moment
from annotator.refusals import Refused

AT_ONCE: Final = 2_000
HEAD: Final = re.compile(r"([1-9][0-9]{0,17}):([0-9a-f]{64})", re.ASCII)
EVENTS: Final = AuditEvent._meta.db_table
SEALS: Final = AuditSeal._meta.db_table
# What guards the two tables, and how an event reads as text: as in the migration that made them.
TRIGGERS: Final = {
    "postgresql": {f"{EVENTS}_append_only", f"{SEALS}_append_only", f"{EVENTS}_seal"},
    "sqlite": {f"{EVENTS}_seal"}
    | {f"{a}_no_{b}" for a, b in product((EVENTS, SEALS), ("update", "delete", "replace"))},
}
STANDING: Final = {
    "postgresql": "SELECT tgname FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid"
    " WHERE tgenabled IN ('O', 'A') AND pg_table_is_visible(c.oid)",
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger'",
}
TIME: Final = {
    "postgresql": "to_char(e.at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')",
    "sqlite": "CAST(e.at AS TEXT)",
}
COLUMNS: Final = ("actor_id", "campaign_id", "action", "object_type", "object_id", "details")

Row = tuple[int, str, str | None, tuple[str | None, ...]]


@dataclass(frozen=True, slots=True)
class Head:
    """A place in the chain and its seal; kept elsewhere, it shows that nothing before is gone."""

    sequence: int
    sha256: str

    def __str__(self) -> str:
        return f"{self.sequence}:{self.sha256}"

    @classmethod
    def read(cls, text: str) -> Self:
        """Read SEQUENCE:SHA256; raise Refused for anything else."""
        found = HEAD.fullmatch(text.strip())
        if found is None:
            raise Refused(f"{text[:100]!r} is no head; it is SEQUENCE:SHA256, as printed here.")
        return cls(int(found[1]), found[2])


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found: the end of the chain, and the first entry that is not what it was."""

    head: Head | None
    first_bad: int | None = None
    why: str = ""

    @property
    def is_sound(self) -> bool:
        return not self.why


def current_head() -> Head | None:
    """Return the end of the chain as it is stored; None before the first entry."""
    row = AuditSeal.objects.order_by("-sequence").first()
    return Head(row.sequence, row.sha256) if row else None


def verify_chain(known: Head | None = None) -> Verdict:
    """Read the whole trail as of one moment; see that a head kept elsewhere is still there.

    Memory does not grow with the trail.
    """
    with one_moment():
        verdict = _follow(known)
        if verdict.is_sound and (unsealed := _first_unsealed()) is not None:
            return Verdict(verdict.head, None, f"event {unsealed} has no place in the chain")
        if verdict.is_sound and (missing := _missing_triggers()):
            return Verdict(verdict.head, None, f"the trail is unguarded: no {', '.join(missing)}")
    return verdict


def _follow(known: Head | None) -> Verdict:
    head = None
    for sequence, stored, event, fields in _rows():
        expected = head.sequence + 1 if head else 1
        if sequence != expected:
            return Verdict(head, expected, f"entry {expected} is missing")
        if event is None:
            return Verdict(head, sequence, f"the event of entry {sequence} is gone")
        previous = head.sha256 if head else BEFORE_THE_FIRST
        if stored != seal(previous, str(sequence), event, *fields):
            return Verdict(head, sequence, f"entry {sequence} is not what was sealed")
        head = Head(sequence, stored)
        if known and known.sequence == sequence and known.sha256 != stored:
            return Verdict(head, sequence, f"entry {sequence} is not that of the head you gave")
    last = head.sequence if head else 0
    if known and known.sequence > last:
        why = f"the trail ends at entry {last}; the head you gave is entry {known.sequence}"
        return Verdict(head, last + 1, why)
    return Verdict(head)


def _rows() -> Iterator[Row]:
    """Yield sequence, seal, event and its other texts, in the order of the chain."""
    texts = ", ".join(f"CAST(e.{column} AS TEXT)" for column in COLUMNS)
    with connection.chunked_cursor() as cursor:
        cursor.execute(
            f"SELECT s.sequence, s.sha256, CAST(e.id AS TEXT), {TIME[connection.vendor]}, {texts}"  # noqa: S608
            f" FROM {SEALS} s LEFT JOIN {EVENTS} e ON e.id = s.event_id ORDER BY s.sequence"
        )
        while rows := cursor.fetchmany(AT_ONCE):
            for sequence, stored, event, *fields in rows:
                yield sequence, stored, event, tuple(fields)


def _first_unsealed() -> int | None:
    rows = AuditEvent.objects.filter(seal=None).order_by("pk")
    return rows.values_list("pk", flat=True).first()


def _missing_triggers() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(STANDING[connection.vendor])
        standing = {name for (name,) in cursor.fetchall()}
    return sorted(TRIGGERS[connection.vendor] - standing)
