"""What a freeze reads of a campaign: from one moment, put aside, then given reference by reference.

Put aside, because comparing takes longer than reading: no moment of the database is held open, and
no reference stays in memory.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from typing import IO, Any, Final

from annotator.models import Campaign, Rating, Ruling
from annotator.queries.one_moment import one_moment
from annotator.queries.settled_ratings import FreezableReference, freezable_references
from annotator.rubric import CRITERIA, OVERALL, TOTAL_WEIGHT
from scoring.quadruplets import RatedCandidate, RatedReference, RatedValues, RuledValues

FACTS: Final = ("office", "ipc", "language", "family")


@dataclass(frozen=True, slots=True)
class GivenScores:
    """A rating as agreement is measured on it; the overall as its numerator over 11."""

    candidate: str
    reference: str
    annotator: str
    scores: dict[str, int]


@dataclass(frozen=True, slots=True)
class FreezableRecord:
    """A reference as it was read.

    `latest` is when one of its ratings was submitted last, in seconds; `given` holds its ratings
    and `adjudicators` who made its rulings, both by id.
    """

    rated: RatedReference
    latest: float
    given: dict[str, GivenScores]
    adjudicators: dict[str, str]


@dataclass(frozen=True, slots=True)
class ReadAside:
    """What was read: how many references there are, what is left out and why, and the file."""

    references: int
    left_out: Counter[str]
    spool: IO[bytes]

    def records(self) -> Iterator[FreezableRecord]:
        """Yield the references in their order, each held only while it is used."""
        self.spool.seek(0)
        for line in self.spool:
            yield _record(json.loads(line))


def read_aside(campaign: Campaign, spool: IO[bytes], *, include_unlocked: bool) -> ReadAside:
    """Read all that a freeze of the campaign uses, as it was at one moment."""
    left_out: Counter[str] = Counter()
    count = 0
    with one_moment():
        for found in freezable_references(
            campaign, include_unlocked=include_unlocked, left_out=left_out
        ):
            spool.write(json.dumps(_plain(found), ensure_ascii=False).encode() + b"\n")
            count += 1
    return ReadAside(count, left_out, spool)


def _plain(found: FreezableReference) -> dict[str, Any]:
    reference = found.reference
    people = {rating.annotator_id for _, ratings in found.ratings for rating in ratings}
    # Pseudonyms of this reference only: they cannot be joined over references or exports.
    order = sorted(people, key=lambda pk: _mixed(reference.claims_sha256, pk))
    names = {pk: f"annotator-{number}" for number, pk in enumerate(order, start=1)}
    return {
        "reference_id": reference.reference_id,
        "claims": reference.claims,
        "facts": {name: getattr(reference, name) for name in FACTS if getattr(reference, name)},
        "latest": max(r.submitted_at.timestamp() for _, ratings in found.ratings for r in ratings),
        "candidates": [
            {
                "candidate_id": candidate.candidate_id,
                "claims": candidate.claims,
                "ratings": [_plain_rating(rating, names) for rating in ratings],
                "ruling": _plain_ruling(found.rulings.get(candidate.pk)),
            }
            for candidate, ratings in found.ratings
        ],
    }


def _mixed(digest: str, pk: object) -> str:
    return sha256(f"{digest} {pk}".encode()).hexdigest()


def _plain_rating(rating: Rating, names: dict[Any, str]) -> list[Any]:
    scores = [*(getattr(rating, key) for key in CRITERIA), rating.overall_numerator]
    return [names[rating.annotator_id], str(rating.annotator_id), str(rating.pk), scores]


def _plain_ruling(ruling: Ruling | None) -> list[Any] | None:
    if ruling is None:
        return None
    adjudicator = ruling.adjudication.adjudicator_id
    return [str(ruling.adjudication_id), str(adjudicator), ruling.scores]


def _record(read: dict[str, Any]) -> FreezableRecord:
    candidates = read["candidates"]
    rulings = [one["ruling"] for one in candidates if one["ruling"]]
    return FreezableRecord(
        rated=RatedReference(
            reference_id=read["reference_id"],
            text=read["claims"],
            candidates=tuple(map(_rated_candidate, candidates)),
            facts=read["facts"],
        ),
        latest=read["latest"],
        given={
            pk: GivenScores(
                candidate=f"{read['reference_id']}\n{one['candidate_id']}",
                reference=read["reference_id"],
                annotator=annotator,
                scores=dict(zip((*CRITERIA, OVERALL), scores, strict=True)),
            )
            for one in candidates
            for _, annotator, pk, scores in one["ratings"]
        },
        adjudicators={adjudication: person for adjudication, person, _ in rulings},
    )


def _rated_candidate(read: dict[str, Any]) -> RatedCandidate:
    ruling = read["ruling"]
    return RatedCandidate(
        candidate_id=read["candidate_id"],
        text=read["claims"],
        ratings=tuple(_values(*rating) for rating in read["ratings"]),
        ruling=ruling and RuledValues(ruling[0], {k: Fraction(v) for k, v in ruling[2].items()}),
    )


def _values(pseudonym: str, _annotator: str, pk: str, scores: list[int]) -> RatedValues:
    values = dict(zip(CRITERIA, scores, strict=False))
    return RatedValues(pseudonym, pk, {**values, OVERALL: Fraction(scores[-1], TOTAL_WEIGHT)})
