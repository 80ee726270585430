"""Writes of calibration: its items, whether a campaign starts with it, and what annotators give."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Max, Q

from annotator import audit_log
from annotator.access.locks import lock_open_campaign
from annotator.assignments.services import spread_places
from annotator.models import (
    CalibrationAnswer,
    CalibrationItem,
    Campaign,
    Candidate,
    Comparison,
    Purpose,
    User,
)
from annotator.rating.calibration.queries import EXAMPLES, item_page
from core.clock import database_now
from core.errors import OutOfDate, Refused
from core.shapes import check_text
from patclaimeval.rubric import CRITERIA, overall_numerator

LONGEST_SENTENCE: Final = 1_000
MOST_ITEMS: Final = 50
NO_SENTENCE: Final = "Say in a sentence why."


@transaction.atomic
def add_candidate(
    *,
    campaign: Campaign,
    candidate: Candidate,
    scores: Mapping[str, int],
    reasons: Mapping[str, str],
    by: User,
) -> CalibrationItem:
    """Have annotators practise on a candidate of the campaign, which nobody rates then.

    Refused for scores or reasons that are wrong, and for a candidate that somebody has been given.
    """
    row = lock_open_campaign(campaign.pk)
    _check_scores(scores)
    for criterion in CRITERIA:
        sentence = reasons.get(criterion, "")
        check_text(f"reason_{criterion}", sentence, longest=LONGEST_SENTENCE, empty=NO_SENTENCE)
    found = Candidate.objects.select_for_update(no_key=True, of=("self",))
    locked = found.select_related("reference").get(pk=candidate.pk, campaign=row)
    if locked.reference.erased_at:
        raise Refused.at("candidate", "The texts of this reference were erased.")
    if locked.purpose == Purpose.CALIBRATION:
        raise Refused.at("candidate", "This candidate is for calibration already.")
    pairs = Comparison.objects.filter(Q(left=locked) | Q(right=locked))
    if locked.purpose != Purpose.RATED or locked.assignments.exists() or pairs.exists():
        why = "An annotator has been given this candidate; choose one that nobody was given."
        raise Refused.at("candidate", why)
    Candidate.objects.filter(pk=locked.pk).update(
        purpose=Purpose.CALIBRATION, places=0, has_room=False
    )
    (item,) = _add(row, by, {"candidate": locked, "scores": dict(scores), "reasons": dict(reasons)})
    return item


@transaction.atomic
def add_examples(*, campaign: Campaign, keys: Sequence[str], by: User) -> list[CalibrationItem]:
    """Have annotators practise on worked examples of the rubric, with the scores given there."""
    row = lock_open_campaign(campaign.pk)
    if unknown := [key for key in keys if key not in EXAMPLES]:
        raise Refused.at("examples", f"There is no worked example {unknown[0][:40]!r}.")
    had = set(row.calibration_items.values_list("example", flat=True))
    new = [key for key in EXAMPLES if key in keys and key not in had]
    if not new:
        raise Refused.at("examples", "Choose an example that is not there yet.")
    rows = []
    for key in new:
        _, example = EXAMPLES[key]
        reasons = {example.criterion: example.why}
        rows.append({"example": key, "scores": dict(example.scores), "reasons": reasons})
    return _add(row, by, *rows)


def _add(campaign: Campaign, by: User, *rows: Mapping[str, Any]) -> list[CalibrationItem]:
    known = campaign.calibration_items.aggregate(last=Max("position"))
    if campaign.calibration_items.count() + len(rows) > MOST_ITEMS:
        raise Refused(f"A calibration has at most {MOST_ITEMS} items.")
    first, now = (known["last"] or 0) + 1, database_now()
    items = [
        CalibrationItem(campaign=campaign, position=number, made_by=by, made_at=now, **row)
        for number, row in enumerate(rows, start=first)
    ]
    CalibrationItem.objects.bulk_create(items)
    audit_log.record_on(campaign, "calibration.added", by, count=len(items))
    return items


@transaction.atomic
def remove_item(*, campaign: Campaign, item_id: UUID, by: User) -> int:
    """Remove an item with what was answered to it; return how many answers that were.

    Its candidate is an ordinary one again unless somebody has practised on it. The last item
    switches the calibration off. Raises CalibrationItem.DoesNotExist for another campaign's.
    """
    row = lock_open_campaign(campaign.pk)
    locked = CalibrationItem.objects.select_for_update(no_key=True, of=("self",))
    item = locked.get(pk=item_id, campaign=row)
    count, candidate = item.answers.count(), item.candidate_id
    item.delete()
    if candidate and not count:
        Candidate.objects.filter(pk=candidate).update(purpose=Purpose.RATED)
        spread_places(row)
    audit_log.record_on(row, "calibration.removed", by, answers=count)
    if row.has_calibration and not row.calibration_items.exists():
        _switch(row, by, is_on=False)
    return count


@transaction.atomic
def switch_calibration(*, campaign: Campaign, is_on: bool, by: User) -> None:
    """Have each annotator rate the items before anything else, or no longer.

    Refused without items. Who has begun to rate is not called back.
    """
    row = lock_open_campaign(campaign.pk)
    if is_on and not row.calibration_items.exists():
        raise Refused("Add an item first: there is nothing to start with.")
    if row.has_calibration != is_on:
        _switch(row, by, is_on=is_on)


def _switch(campaign: Campaign, by: User, *, is_on: bool) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(has_calibration=is_on)
    audit_log.record_on(campaign, "calibration.switched", by, is_on=is_on)


def answer_item(*, item_id: UUID, annotator: User, scores: Mapping[str, int]) -> CalibrationAnswer:
    """Store what an annotator gives an item; the first answer counts, and is returned each time.

    Raises CalibrationItem.DoesNotExist for one that is not theirs to answer, OutOfDate once the
    campaign is closed.
    """
    _check_scores(scores)
    page = item_page(annotator, item_id)
    if page is None:
        raise CalibrationItem.DoesNotExist
    if page.answer:
        return page.answer
    if not page.item.campaign.is_open:
        raise OutOfDate("The campaign is closed; nothing is rated any more.")
    try:
        with transaction.atomic():
            answer = CalibrationAnswer.objects.create(
                item=page.item, annotator=annotator, scores=dict(scores), given_at=database_now()
            )
            campaign = page.item.campaign
            audit_log.record_on(page.item, "calibration.answered", annotator, campaign)
            return answer
    except IntegrityError as error:
        # Sent twice at one moment; or an admin has removed the item since the page was opened.
        known = CalibrationAnswer.objects.filter(item=item_id, annotator=annotator).first()
        if known is None:
            raise CalibrationItem.DoesNotExist from error
        return known


def _check_scores(scores: Mapping[str, int]) -> None:
    try:
        overall_numerator(scores)
    except ValueError as error:
        raise Refused(str(error)) from error
