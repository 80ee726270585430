"""Writes of drawn comparisons: a share of all pairs, chosen by a seed, given to annotators."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import ceil
from uuid import UUID

from django.db import transaction

from annotator.models import (
    GENUINE,
    Assignment,
    AssignmentStatus,
    Campaign,
    CampaignStatus,
    Candidate,
    Comparison,
    User,
)
from annotator.queries.annotators import annotators_of
from annotator.refusals import OutOfDate, Refused
from annotator.services import audit
from annotator.services.comparisons import Pair, assign_comparisons, pair_key


@dataclass(frozen=True, slots=True)
class Asked:
    """What a draw came to: pairs drawn of all there are, comparisons newly given to people."""

    pairs: int
    of: int
    comparisons: int


@transaction.atomic
def ask_comparisons(
    *, campaign: Campaign, share: Fraction | float, seed: int, asked_by: User
) -> Asked:
    """Draw a share of all pairs within references and give each to `overlap` annotators.

    Pairs are ranked by a digest of seed and ids and the first ceil(share · all) are taken: the
    same seed draws the same pairs, a larger share only adds to a smaller one, and what a pair
    was given to before counts. Those who have rated both candidates come first, since only their
    preferences can be held against their scores; then those who will rate both; among equals who
    has the fewest comparisons. Whoever recused themself from the reference is never asked.
    Raises Refused for a share outside 0 to 1 or when nothing can be drawn, OutOfDate when closed.
    """
    exact = _share(share)
    row = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    if row.status != CampaignStatus.OPEN:
        raise OutOfDate("The campaign is closed; nothing is given out any more.")
    every = _pairs(row)
    drawn = _drawn(every, exact, seed)
    given = _Given(row, _annotators(row))
    shares: dict[User, list[Pair]] = {}
    for pair in drawn:
        for annotator in given.choose(pair, seed):
            shares.setdefault(annotator, []).append(pair)
    made = [
        comparison
        for annotator, pairs in shares.items()
        for comparison in assign_comparisons(campaign=row, annotator=annotator, pairs=pairs)
    ]
    audit.record(
        actor=asked_by,
        campaign=row,
        action="comparisons.asked",
        object_type="campaign",
        object_id=row.pk,
        details={"share": str(exact), "seed": seed, "pairs": len(drawn), "count": len(made)},
    )
    return Asked(len(drawn), len(every), len(made))


def _share(share: Fraction | float) -> Fraction:
    try:
        # By way of its digits: 0.1 means one tenth, not the float beside it.
        exact = share if isinstance(share, Fraction) else Fraction(str(share))
    except (ValueError, ZeroDivisionError):
        exact = Fraction(0)
    if not 0 < exact <= 1:
        why = "A share is more than 0 and at most 1, that is 100 %."
        raise Refused(why, {"share": [why]})
    return exact


def _pairs(campaign: Campaign) -> list[Pair]:
    """Return every pair of candidates of one reference, references in order."""
    rows = (
        # A repeat or a sentinel tells about annotators; a preference on it tells nothing.
        Candidate.objects.filter(campaign=campaign, purpose__in=GENUINE, reference__erased_at=None)
        .select_related("reference")
        .only("campaign_id", "candidate_id", "reference__reference_id")
        .order_by("reference__position", "reference__reference_id", "candidate_id")
    )
    groups: dict[UUID, list[Candidate]] = {}
    for row in rows:
        groups.setdefault(row.reference_id, []).append(row)
    pairs = [pair for group in groups.values() for pair in combinations(group, 2)]
    if not pairs:
        raise Refused("No reference of this campaign has two candidates to compare.")
    return pairs


def _drawn(pairs: Sequence[Pair], share: Fraction, seed: int) -> list[Pair]:
    ranks = [_rank(seed, _names(pair)) for pair in pairs]
    order = sorted(range(len(pairs)), key=ranks.__getitem__)
    taken = sorted(order[: ceil(share * len(pairs))])
    return [pairs[index] for index in taken]


def _names(pair: Pair) -> tuple[str, ...]:
    """Return what names a pair in every copy of the campaign, unlike its rows' ids."""
    return (pair[0].reference.reference_id, pair[0].candidate_id, pair[1].candidate_id)


def _rank(seed: int, names: Iterable[str]) -> str:
    return hashlib.sha256(json.dumps([seed, *names]).encode()).hexdigest()


def _annotators(campaign: Campaign) -> list[User]:
    found = list(annotators_of(campaign))
    if not found:
        raise Refused("This campaign has no annotator who could compare.")
    return found


class _Given:
    """Who has rated what and been given which pairs, kept up to date while pairs are given."""

    def __init__(self, campaign: Campaign, annotators: Sequence[User]) -> None:
        self._annotators = annotators
        self._overlap = campaign.overlap
        self._rated: set[tuple[UUID, UUID]] = set()
        self._theirs: set[tuple[UUID, UUID]] = set()
        self._recused: set[tuple[UUID, UUID]] = set()
        rows = Assignment.objects.filter(campaign=campaign, annotator__in=annotators).order_by()
        for who, candidate, reference, status in rows.values_list(
            "annotator_id", "candidate_id", "candidate__reference_id", "status"
        ):
            if status == AssignmentStatus.RECUSED:
                self._recused.add((who, reference))
            elif status == AssignmentStatus.SUBMITTED:
                self._rated.add((who, candidate))
            elif status == AssignmentStatus.OPEN:
                self._theirs.add((who, candidate))
        known = list(
            Comparison.objects.filter(campaign=campaign).values_list("annotator_id", "pair")
        )
        self._asked = {(pair, who) for who, pair in known}
        self._load = Counter(who for who, _ in known)
        self._times = Counter(pair for _, pair in known)

    def choose(self, pair: Pair, seed: int) -> list[User]:
        """Return who is to compare the pair beside those who do already, and count it as given."""
        key = pair_key(pair[0].pk, pair[1].pk)
        free = [
            person
            for person in self._annotators
            if (key, person.pk) not in self._asked
            and (person.pk, pair[0].reference_id) not in self._recused
        ]
        names = _names(pair)
        free.sort(
            key=lambda person: (
                self._distance(person, pair),
                self._load[person.pk],
                _rank(seed, (*names, person.username)),
            )
        )
        chosen = free[: max(self._overlap - self._times[key], 0)]
        for person in chosen:
            self._asked.add((key, person.pk))
            self._load[person.pk] += 1
            self._times[key] += 1
        return chosen

    def _distance(self, person: User, pair: Pair) -> int:
        """Return 0 for one who has rated both candidates, 1 for one who will, else 2."""
        places = [(person.pk, candidate.pk) for candidate in pair]
        if all(place in self._rated for place in places):
            return 0
        return 1 if all(place in self._rated or place in self._theirs for place in places) else 2
