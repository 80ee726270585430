"""What other words for a limitation do to the scope of a claim."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patclaimeval.claims.scope import Context, compare_scope
from patclaimeval.claims.scope_certainty import describe
from patclaimeval.claims.scope_rules import Scope, join_scopes
from patclaimeval.claims.wording import read_wording
from tests.patclaimeval.claims.test_word_diff import TEXTS


def changes(reference: str, candidate: str) -> list[tuple[str, str]]:
    left, right = (read_wording(text, 0, len(text)) for text in (reference, candidate))
    found = compare_scope(left, right, context=Context(is_alone=True))[0]
    return [(describe([change]), str(change.scope)) for change in found]


@pytest.mark.parametrize(
    ("reference", "candidate", "reason", "scope"),
    [
        ("a continuous sheet of paper", "a sheet of paper", "“continuous” dropped", "broader"),
        ("a sheet of paper", "a sheet", "“of paper” dropped", "broader"),
        (
            "a camera, a memory and an image of the camera",
            "a memory and an image of the camera",
            "“a camera” dropped",
            "broader",
        ),
        ("a sheet", "a sheet of folded paper", "“of folded paper” added", "narrower"),
        ("a valve and a lid", "a valve or a lid", "“and” became “or”", "broader"),
        ("a valve or a lid", "a valve and a lid", "“or” became “and”", "narrower"),
        (
            "a lid and a base",
            "at least one of a lid and a base",
            "“at least one of” added",
            "broader",
        ),
        (
            "a plate connected to a rod",
            "a plate coupled to a rod",
            "“connected” became “coupled”",
            "broader",
        ),
        (
            "A box comprising:",
            "A box consisting of:",
            "“comprising” became “consisting of”",
            "narrower",
        ),
        (
            "each consisting of a lid",
            "each comprise a lid",
            "“consisting of” became “comprise”",
            "broader",
        ),
        (
            "a plurality of lids",
            "at least one lid",
            "“a plurality of” became “at least one”",
            "broader",
        ),
        ("a lid of steel, brass or tin", "a lid of steel or brass", "“tin” dropped", "narrower"),
        ("about 5 mm", "5 mm", "“about” dropped", "narrower"),
        ("at least 5 mm", "at least 50 mm", "“5” became “50”", "different"),
        ("three fields", "four fields", "“three” became “four”", "different"),
        (
            "the upper part of the upper lid",
            "the upper part of the lower lid",
            "“upper” became “lower”",
            "different",
        ),
        ("a lid that is movable", "a lid that is not movable", "“not” added", "different"),
        ("without a metal lid", "without a lid", "“metal” dropped", "unsure"),
        ("a lid in the box", "a lid on the box", "“in” became “on”", "unsure"),
        ("a lid of steel", "a lid of brass", "“steel” became “brass”", "unsure"),
        ("the sealed lid is round", "the lid is round", "“sealed” dropped", "unsure"),
        ("a first lid", "a second lid", "“first” became “second”", "unsure"),
    ],
)
def test_a_change_that_can_only_do_one_thing_is_said_to_do_it(reference, candidate, reason, scope):
    assert changes(reference, candidate) == [(reason, scope)]


@pytest.mark.parametrize(
    ("reference", "candidate"),
    [
        ("said layer (12)", "the layer"),
        ("the valves open", "the valve opens"),
        ("(a) heating a fluid;", "heating a fluid"),
        ("a lid, wherein the lid is round", "a lid, in which the lid is round"),
        ("a pump device", "a pump"),
        ("a lid disposed on the base", "a lid on the base"),
        ("a lid fastened to the base", "a lid secured to the base"),
        ("of 10mm", "of 10 mm"),
        ("one or more lids", "at least one lid"),
        ("a lid as claimed in claim 2 or 3", "a lid according to any preceding claim"),
        ("and the method further comprises:", "and"),
        ("a lid of the box according to claim 3", "a lid of the box according to claim 5"),
    ],
)
def test_signs_articles_forms_and_wording_change_no_scope(reference, candidate):
    assert changes(reference, candidate) == []


@given(TEXTS)
def test_a_text_changes_nothing_beside_itself(text):
    assert changes(text, text) == []


@given(TEXTS, TEXTS)
def test_the_words_of_a_change_stand_where_its_spans_say(reference, candidate):
    sides = [read_wording(text, 0, len(text)) for text in (reference, candidate)]
    for change in compare_scope(sides[0], sides[1])[0]:
        for words, span, text in (
            (change.reference, change.reference_span, reference),
            (change.candidate, change.candidate_span, candidate),
        ):
            assert words == (text[slice(*span)] if span else "")
        assert change.reference or change.candidate


@given(st.lists(st.sampled_from(Scope)))
def test_changes_of_several_kinds_are_sure_of_nothing_but_a_difference(scopes):
    found, kinds = join_scopes(scopes), {*scopes} - {Scope.SAME}
    if len(kinds) <= 1:
        assert found == next(iter(kinds), Scope.SAME)
    else:
        is_sure = Scope.DIFFERENT in kinds and Scope.UNSURE not in kinds
        assert found is (Scope.DIFFERENT if is_sure else Scope.UNSURE)
