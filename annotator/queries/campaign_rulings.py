"""The rulings of a campaign as its admins read them: who signed what, and whether it holds."""

from dataclasses import dataclass

from django.db.models import QuerySet

from annotator.models import Adjudication, Campaign
from annotator.queries.signatures import sealed_sha256s, signature_holds

MOST_LISTED = 500


@dataclass(frozen=True, slots=True)
class SignedRuling:
    """An adjudication with the reference that it is on, and whether its record is unchanged."""

    row: Adjudication
    reference_id: str
    title: str
    candidates: int
    holds: bool


def rulings_of(campaign: Campaign) -> QuerySet[Adjudication]:
    """Return the rulings of a campaign, void ones included."""
    return Adjudication.objects.filter(conflict__campaign=campaign)


def campaign_rulings(campaign: Campaign) -> tuple[SignedRuling, ...]:
    """Return the latest rulings, void ones included; no claim text and no rating is read."""
    rows = list(
        rulings_of(campaign)
        .select_related("conflict__candidate__reference", "voided_by")
        .defer("conflict__candidate__claims", "conflict__candidate__reference__claims")
        .prefetch_related("rulings")
        .order_by("-made_at")[:MOST_LISTED]
    )
    sealed = sealed_sha256s(rows)
    return tuple(_signed(row, signature_holds(row, sealed)) for row in rows)


def _signed(row: Adjudication, holds: bool) -> SignedRuling:
    reference = row.conflict.candidate.reference
    count = len(row.rulings.all())
    return SignedRuling(row, reference.reference_id, reference.title, count, holds)
