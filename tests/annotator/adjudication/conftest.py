"""Two people who disagree on two candidates."""

import pytest

from annotator.models import Conflict, Rating
from tests.annotator.adjudication.discrepant import NOTES, WORDS, rate_all


@pytest.fixture
def ratings(cast) -> dict[str, list[Rating]]:
    """Alice and bob put two candidates in opposite order, with words and tags."""
    reference = cast.reference("r1", 2)
    return {
        person.username: rate_all(
            cast,
            person,
            reference,
            [[value] * 4 for value in values],
            comment=WORDS[person.username],
            note=NOTES[person.username],
            error_tags=[{"tag": "vagueness", "start": 3, "end": 8}],
        )
        for person, values in ((cast.alice, (1, 9)), (cast.bob, (8, 2)))
    }


@pytest.fixture
def conflict(ratings) -> Conflict:
    return Conflict.objects.get(candidate=ratings["alice"][0].candidate_id, kind="overall_gap")


@pytest.fixture
def flip(ratings) -> Conflict:
    return Conflict.objects.get(kind="order_flip")
