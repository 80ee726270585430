"""Writes of comparisons: pairs of candidates given to an annotator by name."""

import random
from collections.abc import Iterable, Sequence
from uuid import UUID

from django.db import transaction
from django.db.models import Max

from annotator.models import Campaign, Candidate, Comparison, Membership, Role, User
from annotator.refusals import Refused
from annotator.services import audit

Pair = tuple[Candidate, Candidate]


def assign_comparisons(
    *,
    campaign: Campaign,
    annotator: User,
    pairs: Sequence[Pair],
    chance: random.Random | None = None,
) -> list[Comparison]:
    """Give an annotator pairs to compare: references in order, the pairs of each shuffled.

    Which candidate stands left is random per annotator and pair, and kept. A pair that the
    annotator has been given before, either way round, is passed over. Raises Refused when a pair
    is not two candidates of one reference of this campaign, or the annotator is not one of it.
    """
    for pair in pairs:
        _refuse_unless_of_one_reference(campaign, pair)
    chance = chance or random.SystemRandom()
    with transaction.atomic():
        _lock_annotator(campaign, annotator)
        known = Comparison.objects.filter(annotator=annotator)
        fresh = _fresh(pairs, set(known.values_list("pair", flat=True)))
        last = known.filter(campaign=campaign).aggregate(last=Max("position"))["last"] or 0
        rows = [
            _new(campaign, annotator, pair, last + number, chance)
            for number, pair in enumerate(_in_order(fresh, chance), start=1)
        ]
        Comparison.objects.bulk_create(rows)
        audit.record(
            campaign=campaign,
            action="comparisons.made",
            object_type="user",
            object_id=annotator.pk,
            details={"count": len(rows)},
        )
    return rows


def pair_key(one: object, other: object) -> str:
    """Return the key of a pair of candidate ids, the same whichever way round."""
    return "/".join(sorted((str(one), str(other))))


def _refuse_unless_of_one_reference(campaign: Campaign, pair: Pair) -> None:
    one, other = pair
    if one.pk == other.pk or one.reference_id != other.reference_id:
        raise Refused("A comparison is of two candidates of one reference.")
    if one.campaign_id != campaign.pk:
        raise Refused("A comparison is of candidates of its own campaign.")


def _lock_annotator(campaign: Campaign, annotator: User) -> None:
    """Have two requests for one person wait for each other, so that no pair is given twice."""
    rows = Membership.objects.select_for_update(no_key=True).filter(
        campaign=campaign, user=annotator, role=Role.ANNOTATOR
    )
    if not list(rows):
        raise Refused("Comparisons are for annotators of the campaign.")


def _fresh(pairs: Iterable[Pair], known: set[str]) -> list[Pair]:
    rows = {pair_key(one.pk, other.pk): (one, other) for one, other in pairs}
    return [pair for key, pair in rows.items() if key not in known]


def _in_order(pairs: Iterable[Pair], chance: random.Random) -> list[Pair]:
    """Return the pairs by reference, each group shuffled, so that no order tells a system."""
    groups: dict[UUID, list[Pair]] = {}
    for pair in pairs:
        groups.setdefault(pair[0].reference_id, []).append(pair)
    for group in groups.values():
        chance.shuffle(group)
    return [pair for group in groups.values() for pair in group]


def _new(
    campaign: Campaign, annotator: User, pair: Pair, position: int, chance: random.Random
) -> Comparison:
    left, right = pair if chance.random() < 0.5 else (pair[1], pair[0])
    return Comparison(
        campaign=campaign,
        annotator=annotator,
        left=left,
        right=right,
        pair=pair_key(left.pk, right.pk),
        position=position,
    )
