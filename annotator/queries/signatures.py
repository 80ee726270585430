"""The signature of an adjudication: what exactly is signed, and whether it still holds."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any, Final

from annotator.models import Adjudication, Rating, Ruling

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


def signature_holds(row: Adjudication) -> bool:
    """Say whether the stored rows are still what was signed, and the signature is not voided."""
    return row.is_valid and record_sha256(row, list(row.rulings.all())) == row.record_sha256


def _sha256(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()
