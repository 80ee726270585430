"""Choosing switched on and off, the control share drawn, and the queue put into order."""

import random
from collections.abc import Sequence
from hashlib import sha256
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import OuterRef, Subquery

from annotator import audit_log
from annotator.access.locks import lock_open_campaign
from annotator.models import Campaign, Candidate, Reference, User
from annotator.planning.choosing.queries import IS_BEGUN, choosing_of, readable
from annotator.planning.choosing.rules import control_count, mixed
from core.clock import database_now
from core.errors import OutOfDate, Refused

LEAST_CONTROL: Final = 10
MOST_CONTROL: Final = 90
CANDIDATES_AT_ONCE: Final = 500
NOT_CHOOSING: Final = "The campaign does not choose its order any more."


@transaction.atomic
def set_choosing(*, campaign: Campaign, is_on: bool, percent: int, by: User) -> Campaign:
    """Have a campaign choose which references come first, or go on in its own order.

    What is drawn for the control share stays drawn, and with it the share, until nobody has begun
    a reference that was chosen: then switching off takes the draw back. Nothing that an annotator
    has is moved.
    """
    row = lock_open_campaign(campaign.pk)
    if not LEAST_CONTROL <= percent <= MOST_CONTROL:
        raise Refused.at("percent", f"From {LEAST_CONTROL} to {MOST_CONTROL} per cent are control.")
    known = choosing_of(row)
    if known.is_drawn and percent != row.control_percent:
        raise Refused.at(
            "percent",
            f"The control share was drawn at {row.control_percent} per cent. Drawn otherwise now, "
            "it would no longer be one of chance.",
        )
    before = {"is_on": row.is_choosing, "percent": row.control_percent}
    after = {"is_on": is_on, "percent": percent}
    if before != after:
        row.control_percent = percent
        if is_on != row.is_choosing:
            row.choosing_since = database_now() if is_on else None
        row.save(update_fields=["choosing_since", "control_percent"])
        is_undone = not is_on and known.is_drawn and not known.chosen_begun
        if not is_on:
            _restore(row, is_undone=is_undone)
        audit_log.record_on(
            row, "choosing.set", by, **{"from": before, "to": after, "is_undone": is_undone}
        )
    return row


def _restore(campaign: Campaign, *, is_undone: bool) -> None:
    if is_undone:
        Reference.objects.filter(campaign=campaign).update(is_control=None)
    own = Reference.objects.filter(pk=OuterRef("reference"))
    Candidate.objects.filter(campaign=campaign).update(
        queue_position=Subquery(own.values("position")[:1])
    )


@transaction.atomic
def order_queue(
    *, campaign: Campaign, teaching: Sequence[UUID], chance: random.Random | None = None
) -> int:
    """Put the references that nobody has begun into order; return how many.

    `teaching` names references by key, what teaches most first; what it lacks comes after them.
    Of those that were never drawn, so many are drawn for the control share that it holds. Control
    comes in an order of chance, mixed among the others at places of chance. What is begun stays
    first, so that nobody is led away from it. Raises OutOfDate where the campaign no longer
    chooses or is closed.
    """
    row = lock_open_campaign(campaign.pk)
    if not row.is_choosing:
        raise OutOfDate(NOT_CHOOSING)
    chance = chance or random.SystemRandom()
    begun, waiting = _references(row)
    new = _draw(row, begun, waiting, chance)
    rank = {pk: place for place, pk in enumerate(teaching)}
    waiting.sort(key=lambda one: rank.get(one.pk, len(rank)))
    control = [one for one in waiting if one.is_control]
    chance.shuffle(control)
    chosen = [one for one in waiting if not one.is_control]
    drawn = [one.is_control for one in begun if one.is_control is not None]
    order = mixed(control, chosen, row.control_percent, chance, (len(drawn), sum(drawn)))
    _write(row, [one.pk for one in (*begun, *order)])
    audit_log.record_on(
        row,
        "queue.ordered",
        None,
        references=len(order),
        control=len(new),
        control_sha256=sha256("\n".join(sorted(map(str, new))).encode()).hexdigest(),
    )
    return len(order)


def _references(campaign: Campaign) -> tuple[list[Reference], list[Reference]]:
    """Return what is begun, in the order of the queue, and what waits, as it came."""
    own = Candidate.objects.filter(reference=OuterRef("pk")).order_by("queue_position")
    place = Subquery(own.values("queue_position")[:1])
    rows = readable(campaign).only("is_control", "position")
    begun = list(rows.filter(IS_BEGUN).order_by(place, "position", "pk"))
    return begun, list(rows.filter(~IS_BEGUN).order_by("position", "reference_id", "pk"))


def _draw(
    campaign: Campaign,
    begun: Sequence[Reference],
    waiting: Sequence[Reference],
    chance: random.Random,
) -> list[UUID]:
    """Draw the control share among what was never drawn; return the keys of those drawn for it."""
    undrawn = [one for one in waiting if one.is_control is None]
    drawn = [one.is_control for one in (*begun, *waiting) if one.is_control is not None]
    wanted = control_count(campaign.control_percent, len(drawn) + len(undrawn), sum(drawn))
    chosen = set(chance.sample(range(len(undrawn)), min(wanted, len(undrawn))))
    for place, one in enumerate(undrawn):
        one.is_control = place in chosen
    Reference.objects.bulk_update(undrawn, ["is_control"], batch_size=CANDIDATES_AT_ONCE)
    return [one.pk for one in undrawn if one.is_control]


def _write(campaign: Campaign, order: Sequence[UUID]) -> None:
    places = {pk: place for place, pk in enumerate(order)}
    # All at once and in order: who takes or frees places meanwhile waits, and holds none of these.
    rows = Candidate.objects.select_for_update(no_key=True).filter(campaign=campaign)
    moved = []
    for candidate in rows.order_by("pk").only("reference_id", "queue_position"):
        place = places.get(candidate.reference_id, candidate.queue_position)
        if place != candidate.queue_position:
            candidate.queue_position = place
            moved.append(candidate)
    Candidate.objects.bulk_update(moved, ["queue_position"], batch_size=CANDIDATES_AT_ONCE)
