"""Writes of sentinels: candidates made from references by damage to one criterion each."""

import random
from collections import Counter
from collections.abc import Iterator
from typing import Final

from django.db import transaction
from django.db.models import Max, Min, Q

from annotator.claims.damage import NothingToDamage
from annotator.formats.digests import text_sha256
from annotator.models import Campaign, Candidate, Purpose, Reference, User
from annotator.plans.sentinel_texts import SentinelText, sentinel_text, unguessable_id
from annotator.refusals import Refused
from annotator.rubric import CRITERIA, NAMES
from annotator.services import audit
from annotator.services.named_work import lock_open_campaign

MOST_AT_ONCE: Final = 500


@transaction.atomic
def add_sentinels(*, campaign: Campaign, count: int, seed: int, by: User) -> list[Candidate]:
    """Make sentinels, each from another reference as long as there are others.

    The criterion with the fewest sentinels comes next. References that nobody has begun come
    first, so that nobody is called back to one; references for qualification are left alone. The
    sentinel waits in the queue of its reference like any candidate, and ratings of it count in no
    conflict and no freeze. All are made or, when too few references can be damaged, none: Refused.
    """
    row = lock_open_campaign(campaign)
    if not 1 <= count <= MOST_AT_ONCE:
        why = f"Between 1 and {MOST_AT_ONCE} sentinels are made at a time."
        raise Refused(why, {"count": [why]})
    made = [_store(row, reference, text) for reference, text in _drawn(row, count, seed)]
    audit.record(
        actor=by,
        campaign=row,
        action="sentinels.added",
        object_type="campaign",
        object_id=row.pk,
        details={
            "count": len(made),
            "seed": seed,
            "criteria": dict(Counter(candidate.damage["criterion"] for candidate in made)),
        },
    )
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
        raise Refused(_too_few(found, count, waiting), {"count": [_too_few(found, count, waiting)]})


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
    found = list(rows)
    random.Random(seed).shuffle(found)
    # One with fewer places than the sentinel gets would be left to the sentinel alone in the end.
    found.sort(key=lambda row: (row.least < campaign.overlap, row.begun > 0))
    return [*found]


def _first_that_can(
    references: list[Reference], criterion: str, seed: int
) -> tuple[Reference, SentinelText] | None:
    for reference in references:
        try:
            return reference, sentinel_text(reference.claims, criterion, seed)
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
    taken = set(reference.candidates.values_list("candidate_id", flat=True))
    return Candidate.objects.create(
        reference=reference,
        campaign=campaign,
        queue_position=reference.position,
        places=campaign.overlap,
        candidate_id=unguessable_id(sorted(taken)[0], taken, random.SystemRandom()),
        purpose=Purpose.SENTINEL,
        damage={"criterion": text.criterion, "kind": text.kind, "places": text.places},
        claims=text.text,
        claims_sha256=text_sha256(text.text),
    )
