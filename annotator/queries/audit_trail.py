"""The audit trail as people read it: of a campaign, of the whole site, or of their own acts."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final
from uuid import UUID

from django.db.models import Q, QuerySet

from annotator.audit.words import act_of, actions_where, listed_actions, told_details
from annotator.models import AuditEvent, AuditSeal, Campaign, Shown, User
from annotator.queries.reliability_access import judges_in
from annotator.queries.unblindings import is_unblinded

A_PAGE: Final = 100
SOMEBODY: Final = "an annotator"
PROGRAM: Final = "the program"
PERSON: Final = "user"
# The detail that people write themselves; of all others only codes are put into words.
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
    """The seals that somebody may read, and whether who rated what is told with them."""

    seals: QuerySet[AuditSeal]
    is_named: bool
    # Kept back until the campaign is closed, because the reader rates or adjudicates in it.
    is_limited: bool = False

    @property
    def actions(self) -> list[tuple[str, str]]:
        """The kinds of acts in it, with their words; of others not even the word."""
        found = self.seals.order_by().values_list("event__action", flat=True).distinct()
        return sorted(((one, act_of(one).words) for one in found), key=lambda one: one[1])

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
        is_told = self.is_named or not act.is_raters
        return Entry(
            number=number,
            at=event.at,
            who=_who(event, is_told=is_told),
            words=act.words,
            action=event.action,
            object_type=event.object_type,
            object_id=_object(event, names) if is_told or event.object_type != PERSON else "",
            details=told_details(event.action, event.details) if is_told else {},
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
        """The details in one line."""
        pairs = self.details.items()
        return "; ".join(f"{key.replace('_', ' ')} {_said(key, one)}" for key, one in pairs)

    @property
    def kind(self) -> str:
        return self.object_type.replace("_", " ")


def campaign_trail(campaign: Campaign, reader: User) -> Trail:
    """Return the trail of a campaign for one of its admins.

    Who rated what is told once the names are shown to them, as on every page. One who rates or
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
        # A name that is not told is not found by either.
        listed = {action for action, _ in listed_actions()}
        asked &= Q(event__action__in=listed - set(actions_where("is_raters")))
    if not is_named and question.object_id:
        asked &= ~Q(event__object_type=PERSON, event__action__in=actions_where("is_raters"))
    return seals.filter(asked)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


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


def _who(event: AuditEvent, *, is_told: bool) -> str:
    if not is_told:
        return SOMEBODY
    return event.actor.username if event.actor else PROGRAM


def _object(event: AuditEvent, names: dict[str, str]) -> str:
    return names.get(event.object_id, event.object_id)


def _said(key: str, value: Any) -> str:
    """Return a detail in words; what somebody wrote stays as they wrote it."""
    return value if key == WRITTEN and isinstance(value, str) else _text(value)


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
