"""Conflicts as adjudicators meet them: whose they are, grouped into cases, described as text.

Nothing here reveals a system, a candidate_id, a name or the time of a rating.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from itertools import groupby
from string import ascii_uppercase
from typing import Any, Final
from uuid import UUID

from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from annotator.access.scopes import campaigns_for
from annotator.conflicts.queries import locked_candidates
from annotator.models import (
    GENUINE,
    Assignment,
    AssignmentStatus,
    Candidate,
    Conflict,
    ConflictKind,
    ConflictStatus,
    Membership,
    PreparedRuling,
    Rating,
    Role,
    Round,
    Turn,
    User,
)
from annotator.rating_values import remarks_of
from patclaimeval.rubric import NAMES, OVERALL, overall_quality, overall_text

SENT_SENTENCE: Final = "You sent this back to the annotators; another adjudicator rules on it."


def conflicts_in_reach(user: User) -> QuerySet[Conflict]:
    """Return the conflicts of the campaigns in which the user adjudicates."""
    return Conflict.objects.filter(campaign__in=campaigns_for(user, (Role.ADJUDICATOR,)))


def conflicts_for(user: User) -> QuerySet[Conflict]:
    """Return those of them that the user may look at.

    Never one whose candidate is, was or may yet be theirs to rate, nor one of a reference from
    which they have recused themselves.
    """
    annotates = campaigns_for(user, (Role.ANNOTATOR,))
    unfinished = Candidate.objects.filter(campaign__in=annotates).annotate(rated=Count("ratings"))
    coming = unfinished.filter(rated__lt=F("places")).values("pk")
    own = Assignment.objects.filter(annotator=user)
    recused = Q(
        status=AssignmentStatus.RECUSED,
        candidate__reference=OuterRef("candidate__reference"),
    )
    return (
        conflicts_in_reach(user)
        .filter(~Exists(own.filter(_on_either(1) | recused)))
        .exclude(candidate__in=coming)
        .exclude(other_candidate__isnull=False, other_candidate__in=coming)
    )


def conflicts_to_rule(user: User) -> QuerySet[Conflict]:
    """Return those of them that the user may rule on: roles rotate.

    Not one that they sent back to the annotators themselves, as long as another adjudicator could
    rule on it who did not.
    """
    sent = Round.objects.filter(_on_either(1), asked_by=user)
    others = Membership.objects.filter(
        campaign=OuterRef("campaign"), role=Role.ADJUDICATOR, user__is_active=True
    ).exclude(user=user)
    their = Assignment.objects.filter(
        _on_either(2)
        | Q(
            status=AssignmentStatus.RECUSED,
            candidate__reference=OuterRef(OuterRef("candidate__reference")),
        ),
        annotator=OuterRef("user"),
    )
    sent_too = Round.objects.filter(_on_either(2), asked_by=OuterRef("user"))
    annotates = Membership.objects.filter(
        campaign=OuterRef("campaign"), user=OuterRef("user"), role=Role.ANNOTATOR
    )
    # Who annotates there as well may yet be given a candidate that is not rated in full.
    coming = Candidate.objects.annotate(rated=Count("ratings")).filter(
        Q(pk=OuterRef(OuterRef("candidate"))) | Q(pk=OuterRef(OuterRef("other_candidate"))),
        rated__lt=F("places"),
    )
    free = others.filter(~Exists(their), ~Exists(sent_too)).exclude(
        Exists(annotates) & Exists(coming)
    )
    return conflicts_for(user).exclude(Exists(sent) & Exists(free))


def _on_either(depth: int) -> Q:
    """Return whether a row is about a candidate of the conflict so many queries further out."""

    def outer(name: str) -> Any:
        return OuterRef(name) if depth == 1 else OuterRef(OuterRef(name))

    return Q(candidate=outer("candidate")) | Q(candidate=outer("other_candidate"))


@dataclass(frozen=True, slots=True)
class Case:
    """The open conflicts of one candidate, or of one pair: a single ruling settles them.

    `conflict_id` is one of them; `held_until` is set while the reader has it open, `is_taken`
    while another adjudicator has. `round` is the last one in which annotators were asked;
    `is_prepared`: the reader has decided it and signs it later.
    """

    conflict_id: UUID
    names: tuple[str, ...]
    findings: tuple[str, ...]
    held_until: datetime | None
    is_taken: bool
    round: int
    is_prepared: bool


@dataclass(frozen=True, slots=True)
class CaseReference:
    """A reference with its cases."""

    reference_id: str
    title: str
    ipc: str
    campaign: str
    cases: tuple[Case, ...]


def adjudication_queue(
    user: User, references: Collection[UUID] | None = None
) -> tuple[CaseReference, ...]:
    """Return the open cases of the user, by campaign and reference, the widest gaps first.

    Of all references, or of those that are named.
    """
    listed = Q() if references is None else Q(candidate__reference__in=references)
    reference = "candidate__reference"
    texts = ("candidate__claims", f"{reference}__claims", f"{reference}__draft_claims")
    rows = list(
        open_conflicts(user)
        .filter(listed)
        .select_related(reference)
        .defer(*texts)
        .order_by("campaign__name", f"{reference}__position", f"{reference}_id", "-gap", "pk")
    )
    letters = candidate_names({row.candidate.reference_id for row in rows}, user)
    pks = {pk for row in rows for pk in row.pair}
    asked = Round.objects.filter(candidate__in=pks).order_by()
    prepared = PreparedRuling.objects.filter(adjudicator=user, conflict__candidate__in=pks)
    known = _Known(
        live_turns(pks),
        dict(asked.values_list("candidate").annotate(Max("number"))),
        {row.conflict.pair for row in prepared.select_related("conflict")},
    )
    found = []
    for _, group in groupby(rows, key=lambda row: row.candidate.reference_id):
        of_one = list(group)
        campaign, of = of_one[0].campaign, of_one[0].candidate.reference
        cases = tuple(_cases(of_one, letters, known, user))
        found.append(CaseReference(of.reference_id, of.title, of.ipc, campaign.name, cases))
    return tuple(found)


def candidate_names(references: Iterable[UUID], user: User) -> dict[UUID, str]:
    """Return what an adjudicator calls each candidate of the references: letters by lot.

    The lot is drawn by digests of random ids: the same for one adjudicator at each visit, another
    for the next, and none reveals the order of import.
    """
    genuine = Candidate.objects.filter(purpose__in=GENUINE)
    rows = genuine.filter(reference__in=set(references)).values_list("reference_id", "pk")
    drawn = sorted((str(reference), shuffled(user.pk, pk), pk) for reference, pk in rows)
    names = {}
    for _, group in groupby(drawn, key=lambda row: row[0]):
        for place, (_, _, pk) in enumerate(group):
            letter = ascii_uppercase[place] if place < len(ascii_uppercase) else str(place + 1)
            names[pk] = f"Candidate {letter}"
    return names


def shuffled(*parts: object) -> str:
    """Return a key that sorts in an order which nothing but the ids decides."""
    return sha256(" ".join(str(part) for part in parts).encode()).hexdigest()


def live_turns(candidates: Iterable[UUID]) -> dict[UUID, Turn]:
    """Return the running turns on the candidates, by the database's clock."""
    rows = Turn.objects.filter(candidate__in=set(candidates), expires_at__gt=Now())
    return {row.candidate_id: row for row in rows}


def describe_finding(kind: str, criterion: str, gap: int) -> str:
    """Return what a conflict is, and how wide."""
    if kind == ConflictKind.CRITERION_GAP:
        return f"{NAMES[criterion]}: {gap} points apart"
    if kind == ConflictKind.OVERALL_GAP:
        return f"{NAMES[OVERALL]}: {overall_text(gap)} points apart"
    return f"Opposite order, each way by {overall_text(gap)} points or more"


@dataclass(frozen=True, slots=True)
class _Known:
    """Turns and last rounds by candidate, and the pairs on which the reader prepared a ruling."""

    turns: dict[UUID, Turn]
    rounds: dict[UUID, int]
    prepared: set[tuple[UUID, ...]]


def _cases(
    rows: Sequence[Conflict],
    names: dict[UUID, str],
    known: _Known,
    user: User,
) -> Iterator[Case]:
    turns = known.turns
    by_pair: dict[tuple[UUID, ...], list[Conflict]] = {}
    for row in rows:
        by_pair.setdefault(row.pair, []).append(row)
    called = {pair: sorted(names[pk] for pk in pair) for pair in by_pair}
    for pair in sorted(by_pair, key=lambda pair: (len(pair), called[pair])):
        group = by_pair[pair]
        held = [turns[pk] for pk in pair if pk in turns]
        own = [turn.expires_at for turn in held if turn.adjudicator_id == user.pk]
        yield Case(
            group[0].pk,
            tuple(called[pair]),
            tuple(describe_finding(row.kind, row.criterion, row.gap) for row in group),
            min(own) if own else None,
            len(own) < len(held),
            max(known.rounds.get(pk, 1) for pk in pair),
            pair in known.prepared,
        )


def open_conflicts(user: User) -> QuerySet[Conflict]:
    """Return the open conflicts that the user may rule on, by campaign and reference."""
    return (
        conflicts_to_rule(user)
        .filter(status=ConflictStatus.OPEN)
        .select_related("campaign")
        .order_by("campaign__slug", "candidate__reference__position", "candidate", "-gap", "pk")
    )


def conflict_json(user: User, rows: Sequence[Conflict]) -> list[dict[str, Any]]:
    """Return conflicts that the user may rule on as JSON values.

    Ratings are named by id only, in an order drawn per candidate; what they hold is shown once they
    are locked and no other adjudicator has them open.
    """
    pks = {pk for row in rows for pk in row.pair}
    candidates = Candidate.objects.select_related("reference").in_bulk(pks)
    names = candidate_names({row.reference_id for row in candidates.values()}, user)
    ratings: defaultdict[UUID, dict[UUID, Rating]] = defaultdict(dict)
    for rating in Rating.objects.filter(candidate__in=pks):
        ratings[rating.candidate_id][rating.annotator_id] = rating
    shown = _readable(rows, user)
    return [
        {
            "id": str(row.pk),
            "campaign": row.campaign.slug,
            "kind": row.kind,
            "criterion": row.criterion or None,
            # In points, to two decimals where it is one of the overall.
            "gap": float(row.gap if row.criterion else overall_text(row.gap)),
            "words": describe_finding(row.kind, row.criterion, row.gap),
            "reference": candidates[row.candidate_id].reference.as_told(),
            "candidates": [
                {
                    "label": names[pk],
                    "claims": candidates[pk].claims,
                    "scores_as": "other_scores" if place else "scores",
                    "ratings": [
                        _rating_json(ratings[pk][who], pk in shown)
                        for who in shuffled_people(row.pair, ratings[pk])
                    ],
                }
                for place, pk in enumerate(row.pair)
            ],
        }
        for row in rows
    ]


def _readable(rows: Sequence[Conflict], user: User) -> set[UUID]:
    """Return the candidates whose ratings the user may read now."""
    locked: set[UUID] = set()
    for campaign in {row.campaign_id: row.campaign for row in rows}.values():
        locked |= set(locked_candidates(campaign).values_list("pk", flat=True))
    turns = live_turns(pk for row in rows for pk in row.pair)
    return locked - {pk for pk, turn in turns.items() if turn.adjudicator_id != user.pk}


def shuffled_people(pair: Iterable[UUID], people: Iterable[UUID]) -> list[UUID]:
    """Return annotators in an order of its own for this candidate, or this pair."""
    item = "".join(sorted(map(str, pair)))
    return sorted(people, key=lambda pk: shuffled(item, pk))


def _rating_json(rating: Rating, is_readable: bool) -> dict[str, Any]:
    if not is_readable:
        return {"id": str(rating.pk), "scores": None}
    return {
        "id": str(rating.pk),
        "scores": rating.scores,
        "overall_quality": overall_quality(rating.overall_numerator),
        **remarks_of(rating),
    }
