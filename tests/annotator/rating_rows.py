"""Rows of ratings and preferences as they lie in the database, whatever led to them."""

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from annotator.models import (
    Assignment,
    AssignmentStatus,
    Candidate,
    Comparison,
    Preference,
    Rating,
    RatingRevision,
    User,
)
from patclaimeval.rubric import ALL_CRITERIA, CRITERIA, overall_numerator

START = datetime(2026, 1, 5, 8, tzinfo=UTC)
Four = tuple[int, int, int, int]


def rate(user: User, candidate: Candidate, scores: Four, **more: Any) -> Rating:
    """Return a rating of the candidate, one minute after the user's last one."""
    count = Assignment.objects.filter(annotator=user).count()
    at = START + timedelta(minutes=count)
    assignment = Assignment.objects.create(
        campaign=candidate.campaign,
        annotator=user,
        candidate=candidate,
        label=f"Candidate {count}",
        position=count,
        status=AssignmentStatus.SUBMITTED,
    )
    named = dict(zip(CRITERIA, scores, strict=True))
    fields = {"submitted_at": at, "revised_at": at, "rubric_version": "1"} | more
    row = Rating.objects.create(
        assignment=assignment,
        candidate=candidate,
        annotator=user,
        overall_numerator=overall_numerator(named),
        **named,
        **fields,
    )
    revised(row)
    return row


def revised(row: Rating) -> None:
    """Keep the rating as it stands as its latest revision."""
    RatingRevision.objects.create(
        rating=row,
        number=row.version,
        made_at=row.revised_at,
        overall_numerator=row.overall_numerator,
        is_blind=row.is_blind,
        round=row.round,
        **row.scores,
    )


def revise(row: Rating, scores: Four, **more: Any) -> Rating:
    named = dict(zip(CRITERIA, scores, strict=True))
    fields = named | {"overall_numerator": overall_numerator(named), "version": row.version + 1}
    fields |= {"revised_at": row.submitted_at + timedelta(hours=1)} | more
    for name, value in fields.items():
        setattr(row, name, value)
    row.save()
    revised(row)
    return row


def random_ratings(cast: Any, people: list[User], references: int = 6, seed: int = 0) -> None:
    """Have the people rate three candidates of each reference, agreeing somewhat, with gaps."""
    random = Random(seed)
    for number in range(references):
        for candidate in cast.reference(f"ref-{number}").candidates.all():
            truth = random.randint(2, 8)
            for user in people:
                if random.random() < 0.85:
                    rate(user, candidate, random_four(random, truth))


def random_four(random: Random, truth: int) -> Four:
    a, b, c, d = (min(10, max(0, truth + random.randint(-2, 2))) for _ in range(4))
    return a, b, c, d


def prefer(user: User, left: Candidate, right: Candidate, **given: int | None) -> Preference:
    """Return what the user says of a pair; criteria that are not named stay without a word."""
    comparison = Comparison.objects.create(
        campaign=left.campaign,
        annotator=user,
        left=left,
        right=right,
        pair="|".join(sorted((str(left.pk), str(right.pk)))),
    )
    return Preference.objects.create(
        comparison=comparison,
        rubric_version="1",
        submitted_at=START,
        revised_at=START,
        **{name: given.get(name) for name in ALL_CRITERIA},
    )
