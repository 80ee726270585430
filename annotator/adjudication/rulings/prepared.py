"""Rulings that are decided now and signed later: one password signs a list of them.

Each becomes a signature of its own, with its own row in the audit trail. Only what its adjudicator
has opened and decided stands in the list, and only as long as nothing of it has changed since.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.http import QueryDict

from annotator.accounts.providers import Fresh
from annotator.accounts.services import check_signature
from annotator.adjudication.cases import candidate_names, conflicts_for, shuffled_people
from annotator.adjudication.rounds import lock_conflict, prepared_on, take_turn, undecided
from annotator.adjudication.rulings.forms import OTHER, TAKE
from annotator.adjudication.rulings.services import (
    CHANGED_SENTENCE,
    Decided,
    check_decided,
    decide,
    sign_decided,
)
from annotator.models import (
    Adjudication,
    Conflict,
    ConflictStatus,
    Decision,
    PreparedRuling,
    Rating,
    User,
)
from annotator.rating_values import points_text
from core.clock import database_now
from core.errors import OutOfDate, Refused
from patclaimeval.rubric import ALL_CRITERIA, NAMES

NOT_THERE: Final = "A ruling of this list has changed or is signed already; look at the list again."
NONE_CHOSEN: Final = "Choose at least one ruling."
SHOWN: Final = tuple(NAMES[key] for key in ALL_CRITERIA)


def prepare_ruling(*, conflict_id: UUID, adjudicator: User, decided: Decided) -> PreparedRuling:
    """Store a decision to be signed later, in place of an earlier one on the same candidates.

    The turn gets its whole time again. Raises as `rule`, but for the password; OutOfDate also
    without the digest of the ratings that were read.
    """
    check_decided(decided)
    if not decided.seen:
        raise OutOfDate(CHANGED_SENTENCE)
    with transaction.atomic():
        conflict = lock_conflict(conflict_id, adjudicator)
        decide(conflict, undecided(conflict), adjudicator, decided)
        take_turn(conflict_id=conflict_id, adjudicator=adjudicator)
        prepared_on(conflict).filter(adjudicator=adjudicator).delete()
        return PreparedRuling.objects.create(
            conflict=conflict,
            adjudicator=adjudicator,
            made_at=database_now(),
            **{field.name: getattr(decided, field.name) for field in fields(decided)},
        )


def sign_prepared(
    *, adjudicator: User, chosen: Collection[UUID], password: str | Fresh
) -> tuple[list[Adjudication], list[str]]:
    """Sign prepared rulings, each by itself; return those signed, and why others were not.

    Raises OutOfDate where one of them is not there any more as it was listed, Refused for none or
    for a wrong password: then nothing is signed.
    """
    if not chosen:
        raise Refused.at("ruling", NONE_CHOSEN)
    rows = list(prepared_by(adjudicator).filter(pk__in=chosen))
    if len(rows) < len(set(chosen)):
        raise OutOfDate(NOT_THERE)
    for campaign in {row.conflict.campaign for row in rows}:
        check_signature(signer=adjudicator, password=password, campaign=campaign)
    signed, refused = [], []
    for row in rows:
        conflict = row.conflict
        try:
            signed.append(
                sign_decided(
                    conflict_id=conflict.pk, adjudicator=adjudicator, decided=decided_of(row)
                )
            )
        except Refused as refusal:
            refused.append(f"{conflict.candidate.reference.reference_id}: {refusal.sentence}")
    return signed, refused


def prepared_by(adjudicator: User) -> QuerySet[PreparedRuling]:
    """Return what an adjudicator has prepared about open conflicts that they may look at."""
    rows = PreparedRuling.objects.filter(
        adjudicator=adjudicator,
        conflict__in=conflicts_for(adjudicator),
        conflict__status=ConflictStatus.OPEN,
    )
    joined = ("campaign", "candidate__reference", "other_candidate")
    return rows.select_related(*(f"conflict__{name}" for name in joined))


def decided_of(row: PreparedRuling) -> Decided:
    """Return what was decided."""
    return Decided(**{field.name: getattr(row, field.name) for field in fields(Decided)})


def typed_of(conflict_id: UUID, adjudicator: User) -> QueryDict | None:
    """Return the fields of the ruling form as they were sent; None where nothing is prepared."""
    conflict = Conflict.objects.get(pk=conflict_id)
    row = prepared_on(conflict).filter(adjudicator=adjudicator).first()
    if row is None:
        return None
    typed = QueryDict(mutable=True)
    typed["decision"] = f"{TAKE}{row.rating_id}" if row.decision == Decision.TAKE else row.decision
    typed.update({"reason_code": row.reason_code, "reason": row.reason})
    if row.has_guideline_gap:
        typed["has_guideline_gap"] = "on"
    for prefix, scores in (("", row.scores), (OTHER, row.other_scores)):
        typed.update({f"{prefix}{key}": str(value) for key, value in (scores or {}).items()})
    return typed


@dataclass(frozen=True, slots=True)
class ToSign:
    """A prepared ruling as the list shows it: scores by candidate, or why it cannot be signed."""

    pk: UUID
    conflict_id: UUID
    reference: str
    decision: str
    reason: str
    row: PreparedRuling
    scores: tuple[tuple[str, tuple[str, ...]], ...]
    problem: str


def list_to_sign(adjudicator: User) -> tuple[ToSign, ...]:
    """Return what the adjudicator has to sign, the first prepared first."""
    rows = list(prepared_by(adjudicator))
    if not rows:
        return ()
    names = candidate_names({row.conflict.candidate.reference_id for row in rows}, adjudicator)
    return tuple(_to_sign(rows, names, adjudicator))


def _to_sign(
    rows: list[PreparedRuling], names: Mapping[UUID, str], adjudicator: User
) -> Iterator[ToSign]:
    for row in rows:
        conflict = row.conflict
        scores: tuple[tuple[str, tuple[str, ...]], ...] = ()
        problem = ""
        try:
            scores = _scores(row, names, adjudicator)
        except Refused as refusal:
            problem = refusal.sentence
        reference = conflict.candidate.reference
        yield ToSign(
            pk=row.pk,
            conflict_id=conflict.pk,
            reference=reference.title or reference.reference_id,
            decision=_decision(row),
            reason=row.get_reason_code_display(),
            row=row,
            scores=scores,
            problem=problem,
        )


def _scores(
    row: PreparedRuling, names: Mapping[UUID, str], adjudicator: User
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return what each candidate would get, as signing would find it now."""
    candidates = undecided(row.conflict)
    if not candidates:
        raise OutOfDate(CHANGED_SENTENCE)
    _, rulings = decide(row.conflict, candidates, adjudicator, decided_of(row))
    found = {ruling.candidate_id: ruling.scores for ruling in rulings}
    return tuple(
        (names[pk], tuple(points_text(key, Fraction(found[pk][key])) for key in ALL_CRITERIA))
        for pk in sorted(found, key=lambda pk: names[pk])
    )


def _decision(row: PreparedRuling) -> str:
    """Return the column that was chosen, as the page of the conflict calls it."""
    if row.decision != Decision.TAKE:
        return "Mean" if row.decision == Decision.MEAN else "New scores"
    ratings = Rating.objects.filter(candidate__in=row.conflict.pair)
    by_id = dict(ratings.values_list("pk", "annotator"))
    people = shuffled_people(row.conflict.pair, set(by_id.values()))
    taken = by_id.get(row.rating_id) if row.rating_id else None
    return f"Annotator {people.index(taken) + 1}" if taken in people else "a rating"
