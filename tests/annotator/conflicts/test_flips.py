"""Order flips: each candidate's widest."""

import random

import pytest

from annotator.conflicts.rules import ConflictRules, find_flips
from annotator.rubric import CRITERIA
from tests.amounts import IS_THOROUGH
from tests.annotator.conflicts.all_pairs import NOBODY, rated, restated, stand_for_all, touched


@pytest.mark.parametrize("has_ladder", [False, True])
def test_who_is_in_a_flip_of_a_long_reference_is_as_over_all_pairs(has_ladder: bool) -> None:
    # More candidates than a machine word has bits; some rated by one, others by five.
    chance = random.Random(5)
    ratings = [
        rated(f"p{person}", f"c{place:03}", *[chance.randrange(11) for _ in CRITERIA])
        for place in range(150)
        for person in chance.sample(range(6), chance.randint(1, 5))
    ]
    for least in (1, 30, 45) if IS_THOROUGH else (30,):
        rules = ConflictRules(11, 111, least, has_ladder)
        plain = restated(ratings, rules)
        found = set(find_flips(ratings, rules))
        assert found == stand_for_all(plain, NOBODY, NOBODY)
        assert touched(found) == touched(plain)
        assert 0 < len(found) <= 150
