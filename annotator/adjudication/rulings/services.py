"""Writes of rulings: decide a conflict and sign it, or void what was signed; ratings stay."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Q

from annotator import audit_log
from annotator.accounts.services import check_signature
from annotator.adjudication.cases import conflicts_in_reach
from annotator.adjudication.rounds import (
    RULED_SENTENCE,
    lock_conflict,
    lock_reference,
    refuse_taken,
    refuse_who_may_not,
    undecided,
)
from annotator.adjudication.rulings.queries import (
    MEANING,
    RULED,
    ratings_seen,
    record_sha256,
    seen_sha256,
)
from annotator.conflicts.services import measure_conflicts
from annotator.models import (
    Adjudication,
    Candidate,
    Conflict,
    ConflictStatus,
    Decision,
    Membership,
    PreparedRuling,
    Rating,
    Role,
    Ruling,
    RulingReason,
    Turn,
    User,
)
from annotator.rating_values import mean, points_of
from core.clock import database_now
from core.errors import Forbidden, OutOfDate, Refused
from core.shapes import check_text
from patclaimeval.rubric import ALL_CRITERIA, OVERALL, overall_numerator

LONGEST_REASON: Final = 5_000
NO_REASON: Final = "Give a short reason."
NOT_YOURSELF: Final = "You sign as yourself and as nobody else; nothing was stored."
CHANGED_SENTENCE: Final = "The ratings have changed since you read them. Read them again."


@dataclass(frozen=True, slots=True)
class Decided:
    """What an adjudicator decides about a conflict, and why.

    "take" takes what the annotator of `rating_id` gave, "mean" the mean of the ratings, "scores"
    the new scores: `scores` for the conflict's own candidate, `other_scores` for the other one of
    an order flip. `seen` is the digest of the ratings that the adjudicator read; "" from a program
    that does not send it.
    """

    decision: str
    reason_code: str
    reason: str
    rating_id: UUID | None = None
    scores: Mapping[str, int] | None = None
    other_scores: Mapping[str, int] | None = None
    has_guideline_gap: bool = False
    seen: str = ""


def rule(
    *, conflict_id: UUID, adjudicator: User, password: str, signed_as: str = "", **said: Any
) -> Adjudication:
    """Decide an open conflict and sign the decision; a candidate with a valid ruling retains it.

    What is decided is given by the fields of `Decided`. `signed_as` may name who signs, who is the
    adjudicator and nobody else.

    Raises Conflict.DoesNotExist for a conflict out of reach, Forbidden for one's own candidate or
    another's name, Refused for bad values or a wrong password, OutOfDate when it is ruled, lapsed,
    taken by another adjudicator, or rated anew since.
    """
    conflict = conflicts_in_reach(adjudicator).select_related("campaign").get(pk=conflict_id)
    refuse_who_may_not(conflict_id, adjudicator)
    if signed_as not in ("", adjudicator.get_username()):
        raise Forbidden(NOT_YOURSELF)
    decided = Decided(**said)
    check_decided(decided)
    check_signature(signer=adjudicator, password=password, campaign=conflict.campaign)
    return sign_decided(conflict_id=conflict_id, adjudicator=adjudicator, decided=decided)


def check_decided(decided: Decided) -> None:
    """Raise Refused for a decision or a reason that is none."""
    if decided.decision not in Decision.values:
        raise Refused.at("decision", f"The decision is one of {', '.join(Decision.values)}.")
    if decided.reason_code not in RulingReason.values:
        raise Refused.at("reason_code", f"Choose a reason: {', '.join(RulingReason.values)}.")
    check_text("reason", decided.reason, longest=LONGEST_REASON, empty=NO_REASON)


def sign_decided(*, conflict_id: UUID, adjudicator: User, decided: Decided) -> Adjudication:
    """Store a decision as signed, for who has checked the signature; raises as `rule`."""
    try:
        with transaction.atomic():
            conflict = lock_conflict(conflict_id, adjudicator)
            candidates = undecided(conflict)
            if not candidates:
                raise OutOfDate(RULED_SENTENCE)
            row, rulings = decide(conflict, candidates, adjudicator, decided)
            _sign(row, rulings)
            # Settled: what is on its candidates alone, and this conflict, with all turns.
            pks = [candidate.pk for candidate in candidates]
            settled = Q(candidate__in=pks, other_candidate=None) | Q(pk=conflict.pk)
            rows = Conflict.objects.filter(settled, status=ConflictStatus.OPEN)
            rows.update(status=ConflictStatus.RULED)
            Turn.objects.filter(candidate__in=pks).delete()
            _audit(row, conflict, adjudicator, RULED)
            # Flips between two ruled candidates are settled; others of theirs may open.
            reference_id = conflict.candidate.reference_id
            measure_conflicts(conflict.campaign, reference_id, row.made_at)
            # Whoever prepared one on what is settled by now has nothing to sign.
            done = {"candidate__reference": reference_id, "status": ConflictStatus.RULED}
            PreparedRuling.objects.filter(conflict__in=Conflict.objects.filter(**done)).delete()
            return row
    except IntegrityError as error:
        # Another ruling on one of the candidates was first, whatever way it came.
        raise OutOfDate(RULED_SENTENCE) from error


def decide(
    conflict: Conflict, candidates: list[Candidate], adjudicator: User, decided: Decided
) -> tuple[Adjudication, list[Ruling]]:
    """Return what a decision comes to on each candidate without a ruling; nothing is stored."""
    row = Adjudication(
        conflict=conflict,
        adjudicator=adjudicator,
        decision=decided.decision,
        reason_code=decided.reason_code,
        reason=decided.reason,
        has_guideline_gap=decided.has_guideline_gap,
        signed_as=adjudicator.get_username(),
        meaning=MEANING,
    )
    new = {
        conflict.candidate_id: ("scores", decided.scores),
        conflict.other_candidate_id: ("other_scores", decided.other_scores),
    }
    return row, _decide(row, candidates, decided.rating_id, new, decided.seen)


@transaction.atomic
def void_adjudication(*, adjudication_id: UUID, reason: str, by: User) -> Adjudication:
    """Void a signature for a reason that stays with it, and open its conflicts again.

    For the campaign's admins. Raises Forbidden for others, Refused without a reason, OutOfDate
    when it is void already.
    """
    row = Adjudication.objects.select_related("conflict__campaign", "conflict__candidate").get(
        pk=adjudication_id
    )
    campaign = row.conflict.campaign
    if not Membership.objects.filter(user=by, campaign=campaign, role=Role.ADMIN).exists():
        raise Forbidden("Only an admin of the campaign voids a signature.")
    check_text("reason", reason, longest=LONGEST_REASON, empty=NO_REASON)
    lock_reference(row.conflict.candidate.reference_id)
    now = database_now()
    changed = Adjudication.objects.filter(pk=row.pk, voided_at=None).update(
        voided_at=now, voided_by=by, voided_because=reason
    )
    if not changed:
        raise OutOfDate("This signature is void already.")
    Ruling.objects.filter(adjudication=row).update(is_valid=False)
    # What the rulings had settled is open, as far as the ratings still show it.
    pks = list(row.rulings.values_list("candidate_id", flat=True))
    on_these = Q(candidate__in=pks) | Q(other_candidate__in=pks)
    ruled = Conflict.objects.filter(on_these, status=ConflictStatus.RULED)
    ruled.update(status=ConflictStatus.OPEN)
    measure_conflicts(campaign, row.conflict.candidate.reference_id, now)
    row.refresh_from_db()
    _audit(row, row.conflict, by, "signature.voided")
    return row


def _decide(
    row: Adjudication,
    candidates: list[Candidate],
    rating_id: UUID | None,
    new: Mapping[UUID | None, tuple[str, Mapping[str, int] | None]],
    seen: str,
) -> list[Ruling]:
    """Return the ruling on each candidate, and note on the row what they were decided upon."""
    refuse_taken(candidates, row.adjudicator)
    ratings = list(Rating.objects.filter(candidate__in=candidates))
    if seen and seen != seen_sha256(ratings):
        raise OutOfDate(CHANGED_SENTENCE)
    row.ratings_seen = ratings_seen(ratings)
    row.made_at = database_now()
    if row.decision == Decision.TAKE:
        return _taken(row, candidates, ratings, rating_id)
    if row.decision == Decision.SCORES:
        scores = [_new_scores(*new[one.pk]) for one in candidates]
    else:
        own = ([r for r in ratings if r.candidate_id == one.pk] for one in candidates)
        scores = [exact_mean(of_one) for of_one in own]
    return [
        Ruling(adjudication=row, candidate=one, scores=values)
        for one, values in zip(candidates, scores, strict=True)
    ]


def _taken(
    row: Adjudication,
    candidates: Sequence[Candidate],
    ratings: Sequence[Rating],
    rating_id: UUID | None,
) -> list[Ruling]:
    taken = next((rating for rating in ratings if rating.pk == rating_id), None)
    if taken is None:
        raise Refused.at("rating", "Choose one of the ratings of this conflict.")
    own = {r.candidate_id: r for r in ratings if r.annotator_id == taken.annotator_id}
    if any(one.pk not in own for one in candidates):
        why = "This annotator has not rated both candidates; choose another rating, or new scores."
        raise Refused.at("rating", why)
    return [
        Ruling(
            adjudication=row, candidate=one, rating=own[one.pk], scores=exact_mean([own[one.pk]])
        )
        for one in candidates
    ]


def exact_mean(ratings: Sequence[Rating]) -> dict[str, str]:
    """Return the mean of ratings (at least one) per criterion, in points, as exact fractions."""
    given = [points_of(rating.all_scores) for rating in ratings]
    return {key: str(mean([points[key] for points in given])) for key in ALL_CRITERIA}


def _new_scores(name: str, scores: Mapping[str, int] | None) -> dict[str, str]:
    try:
        numerator = overall_numerator(scores or {})
    except ValueError as error:
        raise Refused.at(name, f"New scores: {error}.") from error
    points = points_of({**(scores or {}), OVERALL: numerator})
    return {key: str(value) for key, value in points.items()}


def _sign(row: Adjudication, rulings: Sequence[Ruling]) -> None:
    row.record_sha256 = record_sha256(row, rulings)
    row.save(force_insert=True)
    Ruling.objects.bulk_create(rulings)


def _audit(row: Adjudication, conflict: Conflict, actor: User, action: str) -> None:
    said = {"conflict": str(conflict.pk), "decision": row.decision, "reason": row.reason_code}
    digest = {"record_sha256": row.record_sha256}
    audit_log.record_on(row, action, actor, conflict.campaign_id, **said, **digest)
