"""The audit trail as people read it, as a file, and whether every seal of it still holds."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import product
from typing import Any, Final, Self
from uuid import UUID

from django.db import connection
from django.db.models import Q, QuerySet
from django.utils.timezone import get_current_timezone

from annotator.access.visibility import is_unblinded, judges_in
from annotator.audit_log import act_of, actions_where, listed_actions, visible_details
from annotator.models import AuditEvent, AuditSeal, Campaign, Shown, User
from core.audit_chain import BEFORE_THE_FIRST, seal
from core.database import one_moment
from core.errors import Refused
from patclaimeval.text_io.text import time_text

A_PAGE: Final = 100
SOMEBODY: Final = "an annotator"
PROGRAM: Final = "the program"
PERSON: Final = "user"
# The detail that people write themselves; of all others only codes get a label.
WRITTEN: Final = "reason"
CODE: Final = re.compile(r"[a-z0-9_]+")


@dataclass(frozen=True, slots=True)
class Question:
    """What a reader looks for; empty for everything. `before` is the number of an answer."""

    action: str = ""
    person: str = ""
    object_id: str = ""
    since: date | None = None
    until: date | None = None
    before: int | None = None


@dataclass(frozen=True, slots=True)
class Trail:
    """The seals that somebody may read, and whether they show who rated what."""

    seals: QuerySet[AuditSeal]
    is_named: bool
    # Withheld until the campaign is closed, because the reader rates or adjudicates in it.
    is_limited: bool = False

    @property
    def actions(self) -> list[tuple[str, str]]:
        """The kinds of acts in it, with their labels; of others not even the label."""
        found = self.seals.order_by().values_list("event__action", flat=True).distinct()
        return sorted(((one, act_of(one).label) for one in found), key=lambda one: one[1])

    def page(self, question: Question) -> list["Entry"]:
        """Return the latest entries that answer the question, one more than a page holds.

        They are numbered among the answers, the first ever as 1, so that no number stands here that
        moves with what others do: entries are only ever added, and numbers stay.
        """
        found = _answering(self.seals, question, is_named=self.is_named)
        if question.before:
            last = min(question.before - 1, found.count())
            rows = list(found.reverse()[max(0, last - A_PAGE - 1) : last])[::-1]
        else:
            rows = list(found[: A_PAGE + 1])
            last = found.filter(sequence__lte=rows[0].sequence).count() if rows else 0
        names = _names([row.event for row in rows])
        return [self.entry(row, names, last - place) for place, row in enumerate(rows)]

    def entry(self, seal: AuditSeal, names: dict[str, str], number: int) -> "Entry":
        """Return an entry with what this reader may know of it."""
        event = seal.event
        act = act_of(event.action)
        is_shown = self.is_named or not act.is_raters
        who = event.actor.username if event.actor else PROGRAM
        name = names.get(event.object_id, event.object_id)
        return Entry(
            number=number,
            at=event.at,
            who=who if is_shown else SOMEBODY,
            words=act.label,
            action=event.action,
            object_type=event.object_type,
            object_id=name if is_shown or event.object_type != PERSON else "",
            details=visible_details(event.action, event.details) if is_shown else {},
        )


@dataclass(frozen=True, slots=True)
class Entry:
    """One act as a reader may know it."""

    number: int
    at: datetime
    who: str
    words: str
    action: str
    object_type: str
    object_id: str
    details: dict[str, Any]

    @property
    def values(self) -> str:
        """The details in one line; what somebody wrote stays as they wrote it."""
        texts = (
            (key, one if key == WRITTEN and isinstance(one, str) else _text(one))
            for key, one in self.details.items()
        )
        return "; ".join(f"{key.replace('_', ' ')} {text}" for key, text in texts)

    @property
    def kind(self) -> str:
        return self.object_type.replace("_", " ")


def campaign_trail(campaign: Campaign, reader: User) -> Trail:
    """Return the trail of a campaign for one of its admins.

    Who rated what is shown once the names are shown to them, as on every page. One who rates or
    adjudicates in an open campaign reads of neither ratings nor conflicts.
    """
    seals = _seals().filter(event__campaign=campaign)
    is_limited = judges_in(campaign, reader)
    if is_limited:
        listed = {action for action, _ in listed_actions()}
        hidden = {*actions_where("is_raters"), *actions_where("is_of_dispute")}
        seals = seals.filter(event__action__in=listed - hidden)
    is_named = is_unblinded(campaign, reader, Shown.NAMES)
    return Trail(seals, is_named=is_named, is_limited=is_limited)


def system_trail() -> Trail:
    """Return what belongs to no campaign: accounts, sign-ins, refusals, datasets from files."""
    return Trail(_seals().filter(event__campaign=None), is_named=True)


def own_trail(reader: User) -> Trail:
    """Return what somebody did themselves.

    Not that another was given what they left: the trail names them as who began it.
    """
    own = _seals().filter(event__actor=reader).exclude(event__action="assignment.rerouted")
    return Trail(own, is_named=True)


def _seals() -> QuerySet[AuditSeal]:
    return AuditSeal.objects.select_related("event__actor").order_by("-sequence")


def _answering(
    seals: QuerySet[AuditSeal], question: Question, *, is_named: bool
) -> QuerySet[AuditSeal]:
    asked = Q()
    if question.action:
        asked &= Q(event__action=question.action)
    if question.person:
        asked &= Q(event__actor__username=question.person)
    if question.object_id:
        asked &= Q(event__object_id=question.object_id)
    if question.since:
        asked &= Q(event__at__gte=_midnight(question.since))
    # After the last day that there is, nothing is.
    if question.until and question.until < date.max:
        asked &= Q(event__at__lt=_midnight(question.until + timedelta(days=1)))
    if not is_named and question.person:
        # A name that is not shown is not found by either.
        listed = {action for action, _ in listed_actions()}
        asked &= Q(event__action__in=listed - set(actions_where("is_raters")))
    if not is_named and question.object_id:
        asked &= ~Q(event__object_type=PERSON, event__action__in=actions_where("is_raters"))
    return seals.filter(asked)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), get_current_timezone())


def _names(events: list[AuditEvent]) -> dict[str, str]:
    ids = {event.object_id for event in events if event.object_type == PERSON}
    keys = [UUID(one) for one in ids if _is_uuid(one)]
    rows = User.objects.filter(pk__in=keys).values_list("pk", "username")
    return {str(pk): name for pk, name in rows}


def _is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True


def _text(value: Any) -> str:
    if isinstance(value, dict):
        # In one order: PostgreSQL forgets that of keys.
        pairs = sorted(value.items())
        return ", ".join(f"{key.replace('_', ' ')} {_text(one)}" for key, one in pairs)
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = str(value)
    return text.replace("_", " ") if CODE.fullmatch(text) else text


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
    """A place in the chain and its seal; stored elsewhere, it shows that nothing before is gone."""

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
    """Read the whole trail as of one moment; see that a head stored elsewhere is still there.

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


ROWS_AT_ONCE: Final = 1_000
NOTICE: Final = "Confidential: who did what on unfiled claims. No claim text is in it."


@dataclass(frozen=True, slots=True)
class AuditExport:
    """The trail of a campaign as one of its admins may know it."""

    campaign: Campaign
    reader: User

    def pieces(self) -> Iterator[bytes]:
        """Yield the head of the whole chain, then each entry, the first first."""
        with one_moment():
            trail = campaign_trail(self.campaign, self.reader)
            yield _line(
                {
                    "kind": "audit trail",
                    "campaign": self.campaign.slug,
                    "head": str(current_head() or ""),
                    "entries": trail.seals.count(),
                    "raters": "named" if trail.is_named else "not named",
                    "limited": trail.is_limited,
                    "notice": NOTICE,
                }
            )
            for seal in trail.seals.order_by("sequence").iterator(ROWS_AT_ONCE):
                yield _line(_seal_row(seal, trail.entry(seal, {}, seal.sequence)))


def _seal_row(seal: AuditSeal, entry: Entry) -> dict[str, Any]:
    return {
        "sequence": seal.sequence,
        "at": time_text(entry.at),
        "who": entry.who,
        "action": entry.action,
        "object_type": entry.object_type,
        "object_id": entry.object_id,
        "details": entry.details,
        "sha256": seal.sha256,
    }


def _line(record: dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False, allow_nan=False).encode() + b"\n"
