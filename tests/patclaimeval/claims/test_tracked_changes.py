import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patclaimeval.claims.change_classes import Change
from patclaimeval.claims.sides import CANDIDATE, REFERENCE
from patclaimeval.claims.tracked_changes import (
    Spot,
    Step,
    Stretch,
    spots_of,
    track_changes,
    unchanged,
)
from tests.amounts import tries

SAMPLE = os.environ.get("PATENT_CE_SAMPLE", "")
SENTENCES = (
    *("A pump comprising a rod of steel (12) and a seal.", "The pump of claim 1, wherein the rod"),
    *("a valve; and\n    the lid", "The method of claim 2.", "said seal is of brass", "一种泵", ""),
)
CLAIM_SETS = st.lists(
    st.tuples(
        st.sampled_from(["1. ", "2. ", "3) ", "", "  4.\t"]),
        st.lists(st.sampled_from(SENTENCES), max_size=3).map(" ".join),
        st.sampled_from(["\n\n", "\n", " ", "\r\n", ""]),
    ).map("".join),
    max_size=5,
).map("".join)
TEXTS = st.one_of(CLAIM_SETS, st.text(max_size=30))


def without(stretches, step):
    return "".join(one.text for one in stretches if one.step is not step)


def shown(reference, candidate, *tracked):
    marks = {Step.SAME: "{}", Step.REMOVED: "[-{}]", Step.ADDED: "[+{}]"}
    found = track_changes(reference, candidate, tracked)
    return "".join(marks[one.step].format(one.text) for one in found)


@given(TEXTS, TEXTS)
def test_without_what_is_removed_it_is_the_candidate_and_without_what_is_added_the_reference(
    reference, candidate
):
    found = track_changes(reference, candidate)
    assert without(found, Step.REMOVED) == candidate
    assert without(found, Step.ADDED) == reference


@given(TEXTS, TEXTS, st.sets(st.sampled_from(Change)))
def test_with_some_classes_it_is_the_candidate_and_each_side_is_gone_through_in_order(
    reference, candidate, tracked
):
    found = track_changes(reference, candidate, tracked)
    assert without(found, Step.REMOVED) == candidate
    for side, text in ((REFERENCE, reference), (CANDIDATE, candidate)):
        at = 0
        for one in found:
            assert one.of(side)[0] == at
            at = one.of(side)[1]
        assert at == len(text)


@pytest.mark.skipif(not SAMPLE, reason="PATENT_CE_SAMPLE names no published file")
def test_the_published_claims_can_be_accepted_and_rejected():
    rows = json.loads(Path(SAMPLE).read_text(encoding="utf-8"))
    for row in rows[: tries(len(rows))]:
        for name in ("A", "B"):
            found = track_changes(row["gold_claim"], row[name])
            assert without(found, Step.REMOVED) == row[name]
            assert without(found, Step.ADDED) == row["gold_claim"]


def test_words_are_tracked_within_a_claim_and_claims_as_a_whole():
    reference = "1. A pump of steel.\n2. The pump of claim 1, with a lid.\n3. A blue chair."
    candidate = "1. A pump of brass.\n2. A boat with two oars.\n3. The pump of claim 1, with a lid."
    assert shown(reference, candidate, *Change) == (
        "1. A pump of [-steel][+brass].\n[+2. A boat with two oars.\n]"
        "[-2.][+3.] The pump of claim 1, with a lid.[-\n][-3. A blue chair.]"
    )


def test_a_claim_that_moved_goes_and_comes():
    one = "1. A pump with a rod, a seal and a valve."
    two = "2. A kettle with a spout, a handle and a lid."
    found = track_changes(f"{one}\n{two}\n", f"{two}\n{one}\n")
    assert {one.step for one in found} == set(Step)
    assert without(found, Step.ADDED) == f"{one}\n{two}\n"


@pytest.mark.parametrize(
    ("tracked", "expected"),
    [
        ((), "1. A lid of [-steel][+brass] on a frame, in which The seal"),
        ((Change.ARTICLES,), "1. A lid of [-steel][+brass] on a frame, in which The seal"),
        (
            (Change.CONNECTIVES,),
            "1. A lid of [-steel][+brass] on a frame, [-wherein][+in which] The seal",
        ),
        (
            (Change.PUNCTUATION,),
            "1. A lid of [-steel][+brass] on a frame,[-  ][+ ]in which [-the][+The] seal",
        ),
    ],
)
def test_what_is_not_tracked_stands_as_in_the_candidate(tracked, expected):
    reference = "1. A lid of steel on a frame,  wherein the seal"
    candidate = "1. A lid of brass on a frame, in which The seal"
    assert shown(reference, candidate, *tracked) == expected


def test_the_blank_line_before_claims_that_end_a_text_goes_with_them():
    two = "1. A pump.\n\n2. A lamp with a foot and a shade."
    assert shown(two, "1. A pump.") == "1. A pump.[-\n\n][-2. A lamp with a foot and a shade.]"
    assert shown("1. A pump.", two) == "1. A pump.[+\n\n][+2. A lamp with a foot and a shade.]"


def test_a_text_without_changes_is_a_stretch_for_each_claim():
    found = unchanged("1. A pump. 2. A lamp.")
    assert [one.text for one in found] == ["1. A pump.", " 2. A lamp."]
    assert all(one.begins and one.step is Step.SAME for one in found)
    assert unchanged("") == ()


def test_characters_of_either_side_are_found_again():
    found = track_changes("1. A pump of steel.", "1. A pump of brass.")
    assert [one.text for one in found] == ["1. A pump of ", "steel", "brass", "."]
    assert spots_of(found, REFERENCE, 13, 18) == (Spot(1, 0), Spot(1, 5))
    assert spots_of(found, CANDIDATE, 5, 18) == (Spot(0, 5), Spot(2, 5))
    assert spots_of(found, CANDIDATE, 5, 99) is None


def test_characters_that_are_not_tracked_are_found_where_they_would_stand():
    found = track_changes("1. The seal, the lid.", "1. The seal, lid.", ())
    assert [one.text for one in found] == ["1. The seal,", "", " lid."]
    assert spots_of(found, REFERENCE, 13, 16) == (Spot(1, 0), Spot(1, 0))


def test_a_claim_begins_where_either_side_has_one():
    found = track_changes("1. A pump.\n2. A blue chair.\n", "1. A pump.\n")
    assert [one.text for one in found if one.begins] == ["1. A pump.\n", "2. A blue chair.\n"]
    assert found[0] == Stretch(Step.SAME, "1. A pump.\n", (0, 11), (0, 11), begins=True)
