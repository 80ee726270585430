"""Gives comparisons, by name or by a drawn share, and stores preferences."""

import hashlib
import json
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, groupby
from math import ceil
from operator import attrgetter
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import Max

from annotator import audit_log
from annotator.access.locks import lock_open_campaign
from annotator.access.scopes import annotators_of
from annotator.comparisons.drafts import drafts_of
from annotator.comparisons.queries import closed_because
from annotator.models import (
    GENUINE,
    Assignment,
    AssignmentStatus,
    Campaign,
    Candidate,
    Comparison,
    Membership,
    Preference,
    PreferenceRevision,
    Role,
    User,
)
from annotator.rating_values import LONGEST_TEXT
from annotator.typed_drafts import end_typed
from core.clock import database_now
from core.errors import OutOfDate, Refused
from patclaimeval.rubric import ALL_CRITERIA

Pair = tuple[Candidate, Candidate]


def assign_comparisons(
    *,
    campaign: Campaign,
    annotator: User,
    pairs: Sequence[Pair],
    chance: random.Random | None = None,
) -> list[Comparison]:
    """Give an annotator pairs to compare: references in order, the pairs of each shuffled.

    Which candidate stands left is random per annotator and pair, and stored. A pair that the
    annotator has been given before, either way round, is passed over. Raises Refused when a pair
    is not two candidates of one reference of this campaign, or the annotator is not one of it.
    """
    for one, other in pairs:
        if one.pk == other.pk or one.reference_id != other.reference_id:
            raise Refused("A comparison is of two candidates of one reference.")
        if one.campaign_id != campaign.pk:
            raise Refused("A comparison is of candidates of its own campaign.")
    chance = chance or random.SystemRandom()
    with transaction.atomic():
        # Two requests for one person wait for each other, so that no pair is given twice.
        members = Membership.objects.select_for_update(no_key=True)
        if not list(members.filter(campaign=campaign, user=annotator, role=Role.ANNOTATOR)):
            raise Refused("Comparisons are for annotators of the campaign.")
        known = Comparison.objects.filter(annotator=annotator)
        given = set(known.values_list("pair", flat=True))
        by_key = {pair_key(one.pk, other.pk): (one, other) for one, other in pairs}
        fresh = [pair for key, pair in by_key.items() if key not in given]
        last = known.filter(campaign=campaign).aggregate(last=Max("position"))["last"] or 0
        rows = [
            _new(campaign, annotator, pair, last + number, chance)
            for number, pair in enumerate(_in_order(fresh, chance), start=1)
        ]
        Comparison.objects.bulk_create(rows)
        audit_log.record_on(annotator, "comparisons.made", None, campaign, count=len(rows))
    return rows


def pair_key(one: object, other: object) -> str:
    """Return the key of a pair of candidate ids, the same whichever way round."""
    return "/".join(sorted((str(one), str(other))))


def _in_order(pairs: Iterable[Pair], chance: random.Random) -> list[Pair]:
    """Return the pairs by reference, each group shuffled, so that no order reveals a system."""
    groups: dict[UUID, list[Pair]] = {}
    for pair in pairs:
        groups.setdefault(pair[0].reference_id, []).append(pair)
    for group in groups.values():
        chance.shuffle(group)
    return [pair for group in groups.values() for pair in group]


def _new(
    campaign: Campaign, annotator: User, pair: Pair, position: int, chance: random.Random
) -> Comparison:
    left, right = pair if chance.random() < 0.5 else (pair[1], pair[0])
    return Comparison(
        campaign=campaign,
        annotator=annotator,
        left=left,
        right=right,
        pair=pair_key(left.pk, right.pk),
        position=position,
    )


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
    closed = "The campaign is closed; nothing is assigned any more."
    row = lock_open_campaign(campaign.pk, closed)
    every = _pairs(row)
    ranks = [_rank(seed, _names(pair)) for pair in every]
    order = sorted(range(len(every)), key=ranks.__getitem__)
    drawn = [every[index] for index in sorted(order[: ceil(exact * len(every))])]
    annotators = list(annotators_of(row))
    if not annotators:
        raise Refused("This campaign has no annotator who could compare.")
    given = _Given(row, annotators)
    shares: dict[User, list[Pair]] = {}
    for pair in drawn:
        for annotator in given.choose(pair, seed):
            shares.setdefault(annotator, []).append(pair)
    made = [
        comparison
        for annotator, pairs in shares.items()
        for comparison in assign_comparisons(campaign=row, annotator=annotator, pairs=pairs)
    ]
    draw = {"share": str(exact), "seed": seed, "pairs": len(drawn), "count": len(made)}
    audit_log.record_on(row, "comparisons.asked", asked_by, **draw)
    return Asked(len(drawn), len(every), len(made))


def _share(share: Fraction | float) -> Fraction:
    try:
        # By way of its digits: 0.1 means one tenth, not the float beside it.
        exact = share if isinstance(share, Fraction) else Fraction(str(share))
    except (ValueError, ZeroDivisionError):
        exact = Fraction(0)
    if not 0 < exact <= 1:
        raise Refused.at("share", "A share is more than 0 and at most 1, that is 100 %.")
    return exact


def _pairs(campaign: Campaign) -> list[Pair]:
    """Return every pair of candidates of one reference, references in order."""
    rows = (
        # A repeat or a sentinel is about annotators; a preference on it shows nothing.
        Candidate.objects.filter(campaign=campaign, purpose__in=GENUINE, reference__erased_at=None)
        .select_related("reference")
        .only("campaign_id", "candidate_id", "reference__reference_id")
        .order_by("reference__position", "reference__reference_id", "candidate_id")
    )
    groups = groupby(rows, attrgetter("reference_id"))
    pairs = [pair for _, group in groups for pair in combinations(group, 2)]
    if not pairs:
        raise Refused("No reference of this campaign has two candidates to compare.")
    return pairs


def _names(pair: Pair) -> tuple[str, ...]:
    """Return what names a pair in every copy of the campaign, unlike its rows' ids."""
    return (pair[0].reference.reference_id, pair[0].candidate_id, pair[1].candidate_id)


def _rank(seed: int, names: Iterable[str]) -> str:
    return hashlib.sha256(json.dumps([seed, *names]).encode()).hexdigest()


class _Given:
    """Who has rated what and been given which pairs, updated while pairs are given."""

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

        def rank(person: User) -> tuple[int, int, str]:
            places = [(person.pk, candidate.pk) for candidate in pair]
            has_rated = all(place in self._rated for place in places)
            will = all(place in self._rated or place in self._theirs for place in places)
            distance = 0 if has_rated else 1 if will else 2
            return distance, self._load[person.pk], _rank(seed, (*names, person.username))

        free.sort(key=rank)
        chosen = free[: max(self._overlap - self._times[key], 0)]
        for person in chosen:
            self._asked.add((key, person.pk))
            self._load[person.pk] += 1
            self._times[key] += 1
        return chosen


ANSWERS: Final = (1, 0, -1)
CHOOSE: Final = "Choose left better, equal, or right better."
WRONG_ANSWER: Final = "A preference is 1 (left better), 0 (equal) or -1 (right better)."


@transaction.atomic
def submit_preference(
    *,
    comparison_id: UUID,
    annotator: User,
    judgements: Mapping[str, int],
    comment: str = "",
    version: int = 0,
    draft_version: int | None = None,
) -> Preference:
    """Store how an annotator judges a comparison: 1 left is better, 0 equal, -1 right is.

    `version` is the one that the person saw, 0 before the first; until the campaign closes a
    preference may be revised; every revision is kept. What is stored already, sent again, is the
    stored row unchanged. `draft_version` is which draft this ends: None, from a program, ends none.
    Raises Refused for bad values by field; OutOfDate when the campaign is closed, the annotator has
    recused themself from the reference, or another revision or a newer draft came between.
    """
    said = _clean(judgements, comment)
    own = Comparison.objects.select_for_update(of=("self",), no_key=True).filter(
        annotator=annotator
    )
    comparison = own.select_related("campaign", "left").get(pk=comparison_id)
    stored = Preference.objects.filter(comparison=comparison).first()
    if stored and all(getattr(stored, name) == value for name, value in said.items()):
        if draft_version is not None:
            drafts_of(comparison_id).filter(version=draft_version).delete()
        return stored
    if reason := closed_because(comparison):
        raise OutOfDate(reason)
    if version != (stored.version if stored else 0):
        raise OutOfDate("This preference was changed elsewhere after you opened it.")
    end_typed(drafts_of(comparison_id), draft_version)
    now = database_now()
    if stored:
        row, action = stored, "preference.revised"
        for name, value in said.items():
            setattr(row, name, value)
        row.version += 1
        row.revised_at = now
        row.save(update_fields=[*said, "version", "revised_at"])
    else:
        action = "preference.submitted"
        row = Preference.objects.create(
            comparison=comparison,
            rubric_version=comparison.campaign.rubric_version,
            submitted_at=now,
            revised_at=now,
            **said,
        )
    revision_of(row).save()
    details = {"version": row.version, "judgements": row.judgements}
    audit_log.record_on(row, action, comparison.annotator_id, comparison.campaign, **details)
    return row


def revision_of(row: Preference) -> PreferenceRevision:
    """Return what is stored of a preference beside it, as it stands now."""
    return PreferenceRevision(
        preference=row,
        number=row.version,
        made_at=row.revised_at,
        comment=row.comment,
        error_tags=row.error_tags,
        **row.judgements,
    )


def _clean(judgements: Mapping[str, int], comment: str) -> dict[str, Any]:
    fields: dict[str, list[str]] = {}
    for name in ALL_CRITERIA:
        if name not in judgements:
            fields[name] = [CHOOSE]
        elif type(judgements[name]) is not int or judgements[name] not in ANSWERS:
            fields[name] = [WRONG_ANSWER]
    for name in sorted(set(judgements) - set(ALL_CRITERIA)):
        fields[name[:40]] = ["This rubric has no such criterion."]
    if len(comment) > LONGEST_TEXT:
        fields["comment"] = [
            f"A comment may have {LONGEST_TEXT:,} characters; this has {len(comment):,}."
        ]
    elif "\x00" in comment:
        fields["comment"] = ["The comment holds a NUL character."]
    if fields:
        raise Refused(" ".join(why for reasons in fields.values() for why in reasons), fields)
    return {**judgements, "comment": comment}
