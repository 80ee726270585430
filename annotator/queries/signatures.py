"""The signature of an adjudication: what exactly is signed, and whether it still holds."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from annotator.models import Adjudication, AuditEvent, Rating, Ruling

RULED: Final = "conflict.ruled"
SEALED: Final = ("object_id", "details")
MEANING: Final = "I have read the claims and the ratings, and I decide this conflict as stated."


def ratings_seen(ratings: Sequence[Rating]) -> list[dict[str, Any]]:
    """Return what a decision was made upon: each rating with its version, sorted by id."""
    return [
        {"rating": str(rating.pk), "version": rating.version}
        for rating in sorted(ratings, key=lambda rating: str(rating.pk))
    ]


def seen_sha256(ratings: Sequence[Rating]) -> str:
    """Return the digest by which a form says which ratings its reader had before them."""
    return _sha256(ratings_seen(ratings))


def record_sha256(row: Adjudication, rulings: Sequence[Ruling]) -> str:
    """Return the digest of everything that is signed, as canonical JSON."""
    given = [
        {
            "candidate": str(ruling.candidate_id),
            "rating": str(ruling.rating_id) if ruling.rating_id else None,
            "scores": ruling.scores,
        }
        for ruling in sorted(rulings, key=lambda ruling: str(ruling.candidate_id))
    ]
    return _sha256(
        {
            "adjudication": str(row.pk),
            "conflict": str(row.conflict_id),
            "adjudicator": str(row.adjudicator_id),
            "signed_as": row.signed_as,
            "meaning": row.meaning,
            "decision": row.decision,
            "reason_code": row.reason_code,
            "reason": row.reason,
            "has_guideline_gap": row.has_guideline_gap,
            "ratings": row.ratings_seen,
            "rulings": given,
            "made_at": row.made_at.isoformat(),
        }
    )


def sealed_sha256s(rows: Iterable[Adjudication]) -> dict[str, str]:
    """Return the digests that the audit trail has of rulings, by their ids."""
    events = AuditEvent.objects.filter(
        action=RULED, object_type="adjudication", object_id__in=[str(row.pk) for row in rows]
    )
    return {pk: str(details["record_sha256"]) for pk, details in events.values_list(*SEALED)}


def signature_holds(row: Adjudication, sealed: Mapping[str, str] | None = None) -> bool:
    """Say whether the stored rows are still what was signed, and the signature is not voided.

    Whoever changes a ruling in the database can compute its digest anew, so the trail, whose
    entries are chained, must have the same one. `sealed` is what it has of several rulings.
    """
    known = sealed_sha256s([row]) if sealed is None else sealed
    digest = record_sha256(row, list(row.rulings.all()))
    return row.is_valid and digest == row.record_sha256 == known.get(str(row.pk))


def _sha256(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()
