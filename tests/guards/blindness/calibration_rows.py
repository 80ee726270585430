"""Calibration items of a crawled campaign, which the peer has answered and the other one not."""

from django.utils import timezone

from annotator.models import CalibrationAnswer, CalibrationItem, Campaign, User
from patclaimeval.rubric import CRITERIA

EXAMPLES = ("conceptual_clarity-1", "logical_linkage-1")


def calibration_rows(
    mark: str, campaign: Campaign, people: dict[str, User]
) -> list[CalibrationItem]:
    """Return two items whose reasons bear the mark; the campaign does not start with them yet."""
    now = timezone.now()
    items = [
        CalibrationItem.objects.create(
            campaign=campaign,
            example=example,
            position=number,
            scores=dict.fromkeys(CRITERIA, 6),
            reasons=dict.fromkeys(CRITERIA, f"{mark}agreedreason"),
            made_by=people["admin"],
            made_at=now,
        )
        for number, example in enumerate(EXAMPLES, start=1)
    ]
    for item in items:
        given = dict.fromkeys(CRITERIA, 3)
        CalibrationAnswer.objects.create(
            item=item, annotator=people["peer"], scores=given, given_at=now
        )
    return items
