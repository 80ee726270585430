"""Hidden checks of annotators: repeats of their own ratings, and candidates with known damage."""

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Max, Min, Q

from annotator import audit_log
from annotator.access.locks import lock_open_campaign
from annotator.access.scopes import annotators_of
from annotator.assignments.services import assign_candidates, free_place
from annotator.models import (
    GENUINE,
    Assignment,
    AssignmentStatus,
    Campaign,
    CampaignStatus,
    Candidate,
    Membership,
    Purpose,
    Rating,
    Reference,
    Role,
    User,
)
from annotator.planning.sentinel_texts import SentinelText, sentinel_text, unguessable_id
from core.clock import database_now
from core.errors import Refused
from patclaimeval.claims.damage import NothingToDamage
from patclaimeval.rubric import CRITERIA, NAMES
from patclaimeval.text_io.text import text_sha256

MOST_PERCENT: Final = 50
LONGEST_LAG: Final = 10_000
WAITING: Final = (AssignmentStatus.OPEN, AssignmentStatus.LAPSED)


@transaction.atomic
def set_repeats(*, campaign: Campaign, percent: int, lag: int, by: User) -> Campaign:
    """Return what share of each annotator's ratings is asked once more, after how many others.

    0 per cent stops it; repeats that are given stay given.
    """
    row = lock_open_campaign(campaign.pk)
    wrong: dict[str, list[str]] = {}
    if not 0 <= percent <= MOST_PERCENT:
        wrong["percent"] = [f"From 0 to {MOST_PERCENT} per cent of the ratings can be repeated."]
    if not 1 <= lag <= LONGEST_LAG:
        wrong["lag"] = [f"A lag is a number of ratings from 1 to {LONGEST_LAG:,}."]
    if wrong:
        raise Refused(" ".join(why for reasons in wrong.values() for why in reasons), wrong)
    before = {"percent": row.repeat_percent, "lag": row.repeat_lag}
    after = {"percent": percent, "lag": lag}
    if before != after:
        row.repeat_percent, row.repeat_lag = percent, lag
        row.save(update_fields=["repeat_percent", "repeat_lag"])
        audit_log.record_on(row, "repeats.set", by, **{"from": before, "to": after})
    return row


def repeat_everywhere() -> int:
    """Give every annotator of an open campaign the repeat that is due, if one is; return how many.

    One query for each campaign with repeats, as long as nothing is due.
    """
    given = 0
    for campaign in Campaign.objects.filter(status=CampaignStatus.OPEN, repeat_percent__gt=0):
        for annotator in User.objects.filter(pk__in=_due(campaign)):
            given += give_repeat(campaign=campaign, annotator=annotator)
    return given


def _due(campaign: Campaign) -> list[UUID]:
    """Return the annotators with ratings enough, fewer repeats than their share, none waiting."""
    genuine = Q(status=AssignmentStatus.SUBMITTED, candidate__purpose__in=GENUINE)
    repeat = Q(candidate__purpose=Purpose.REPEAT)
    rows = (
        Assignment.objects.filter(campaign=campaign, annotator__in=annotators_of(campaign))
        .order_by()
        .values("annotator")
        .annotate(
            genuine=Count("pk", filter=genuine),
            repeats=Count("pk", filter=repeat),
            waiting=Count("pk", filter=repeat & Q(status__in=WAITING)),
        )
    )
    return [
        row["annotator"]
        for row in rows
        if not row["waiting"]
        and row["genuine"] > campaign.repeat_lag
        and row["genuine"] * campaign.repeat_percent // 100 > row["repeats"]
    ]


@transaction.atomic
def give_repeat(
    *, campaign: Campaign, annotator: User, chance: random.Random | None = None
) -> bool:
    """Ask an annotator for one of their own ratings again, if one is due; return whether it was.

    It comes as their other candidates come: by name with the same due date, or as the next one on
    demand. Label and place are new, its text is the old one. Repeats never come in a row.
    """
    # Two sweepers, or a sweeper and the annotator, wait for each other.
    members = Membership.objects.select_for_update(of=("self",), no_key=True).select_related(
        "campaign"
    )
    member = members.filter(campaign=campaign, user=annotator, role=Role.ANNOTATOR).first()
    if member is None or not member.campaign.is_open or annotator.pk not in _due(member.campaign):
        return False
    originals = _originals(member.campaign, annotator)
    if not originals:
        return False
    original = Candidate.objects.get(pk=(chance or random.SystemRandom()).choice(originals))
    last = Assignment.objects.filter(campaign=campaign, annotator=annotator).latest("position")
    siblings = Candidate.objects.filter(reference=original.reference_id)
    taken = set(siblings.values_list("candidate_id", flat=True))
    # Nobody but its annotator has a place at it.
    repeat = Candidate.objects.create(
        reference_id=original.reference_id,
        campaign_id=original.campaign_id,
        queue_position=original.queue_position,
        places=1,
        has_room=False,
        candidate_id=unguessable_id(original.candidate_id, taken, random.SystemRandom()),
        purpose=Purpose.REPEAT,
        original=original,
        claims=original.claims,
        claims_sha256=original.claims_sha256,
    )
    (row,) = assign_candidates(
        campaign=member.campaign, annotator=annotator, candidates=[repeat], due_at=last.due_at
    )
    if last.lease_expires_at is not None:
        # Who works on demand takes up what lapsed before anything new: no sign of a name.
        row.status, row.lease_expires_at = AssignmentStatus.LAPSED, database_now()
        row.save(update_fields=["status", "lease_expires_at"])
        free_place(repeat.pk)
    return True


def _originals(campaign: Campaign, annotator: User) -> list[UUID]:
    """Return what may be repeated: rated once, long enough ago, of no reference they left."""
    rows = list(
        Rating.objects.filter(annotator=annotator, candidate__campaign=campaign)
        .order_by("submitted_at", "pk")
        .values_list("candidate_id", "candidate__reference_id", "candidate__purpose")
    )
    since = next((n for n, row in enumerate(reversed(rows)) if row[2] == Purpose.REPEAT), len(rows))
    # Between two repeats stand half as many ratings as is usual, at least one.
    if since < max(50 // campaign.repeat_percent, 1):
        return []
    own = Assignment.objects.filter(campaign=campaign, annotator=annotator)
    repeated = set(own.values_list("candidate__original_id", flat=True))
    recused = own.filter(status=AssignmentStatus.RECUSED)
    left = set(recused.values_list("candidate__reference_id", flat=True))
    erased = Reference.objects.filter(campaign=campaign).exclude(erased_at=None)
    left |= set(erased.values_list("pk", flat=True))
    return [
        candidate
        for candidate, reference, purpose in rows[: len(rows) - campaign.repeat_lag]
        if purpose in GENUINE and candidate not in repeated and reference not in left
    ]


MOST_AT_ONCE: Final = 500


@transaction.atomic
def add_sentinels(*, campaign: Campaign, count: int, seed: int, by: User) -> list[Candidate]:
    """Make sentinels, each from another reference as long as there are others.

    The criterion with the fewest sentinels comes next. References that nobody has begun come
    first, so that nobody is called back to one; references for qualification are left alone. The
    sentinel waits in the queue of its reference like any candidate, and ratings of it count in no
    conflict and no freeze. All are made or, when too few references can be damaged, none: Refused.
    """
    row = lock_open_campaign(campaign.pk)
    if not 1 <= count <= MOST_AT_ONCE:
        raise Refused.at("count", f"Between 1 and {MOST_AT_ONCE} sentinels are made at a time.")
    made = [_store(row, reference, text) for reference, text in _drawn(row, count, seed)]
    criteria = dict(Counter(candidate.damage["criterion"] for candidate in made))
    audit_log.record_on(row, "sentinels.added", by, count=len(made), seed=seed, criteria=criteria)
    return made


def _drawn(campaign: Campaign, count: int, seed: int) -> Iterator[tuple[Reference, SentinelText]]:
    """Yield references with their damaged text, the criteria in turn."""
    waiting = _references(campaign, seed)
    known = Candidate.objects.filter(campaign=campaign, purpose=Purpose.SENTINEL)
    damages = known.values_list("damage", flat=True)
    counts = Counter(dict.fromkeys(CRITERIA, 0))
    counts.update(damage["criterion"] for damage in damages)
    possible = list(CRITERIA)
    found = 0
    while found < count and possible:
        criterion = min(possible, key=lambda key: (counts[key], CRITERIA.index(key)))
        drawn = _first_that_can(waiting, criterion, seed)
        if drawn is None:
            possible.remove(criterion)
            continue
        waiting.remove(drawn[0])
        counts[criterion] += 1
        found += 1
        yield drawn
    if found < count:
        raise Refused.at("count", _too_few(found, count, waiting))


def _references(campaign: Campaign, seed: int) -> list[Reference]:
    """Return the references without a sentinel in a seeded order, those begun by nobody first."""
    rows = (
        Reference.objects.filter(campaign=campaign, candidates__isnull=False, erased_at=None)
        .exclude(candidates__purpose__in=(Purpose.SENTINEL, Purpose.QUALIFICATION))
        .annotate(
            begun=Max("candidates__held"),
            least=Min("candidates__places", filter=~Q(candidates__purpose=Purpose.REPEAT)),
        )
        .order_by("position", "reference_id")
    )
    found: list[Any] = list(rows)
    random.Random(seed).shuffle(found)
    # One with fewer places than the sentinel gets would be left to the sentinel alone in the end.
    found.sort(key=lambda row: (row.least < campaign.overlap, row.begun > 0))
    return found


def _first_that_can(
    references: list[Reference], criterion: str, seed: int
) -> tuple[Reference, SentinelText] | None:
    for reference in references:
        try:
            own = reference.claims, criterion, seed, reference.language
            return reference, sentinel_text(*own)
        except NothingToDamage:
            continue
    return None


def _too_few(found: int, count: int, left: list[Reference]) -> str:
    criteria = ", ".join(NAMES[criterion].lower() for criterion in CRITERIA)
    why = (
        f"the {len(left)} other references without one offer no place for damage to {criteria}"
        if left
        else "every other reference has one already, is for qualification, or has no candidate"
    )
    return f"Only {found} of {count} sentinels can be made: {why}. None was made."


def _store(campaign: Campaign, reference: Reference, text: SentinelText) -> Candidate:
    siblings = dict(reference.candidates.values_list("candidate_id", "queue_position"))
    taken = set(siblings)
    return Candidate.objects.create(
        reference=reference,
        campaign=campaign,
        queue_position=min(siblings.values()),
        places=campaign.overlap,
        candidate_id=unguessable_id(sorted(taken)[0], taken, random.SystemRandom()),
        purpose=Purpose.SENTINEL,
        damage={"criterion": text.criterion, "kind": text.kind, "places": text.places},
        claims=text.text,
        claims_sha256=text_sha256(text.text),
    )
