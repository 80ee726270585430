"""Candidates beside their reference: rows, what each lacks, cells of the minimap."""

import pytest

from patclaimeval.claims.minimap import State
from patclaimeval.claims.reading import read_pair
from patclaimeval.claims.reading_limits import CLAIMS
from patclaimeval.claims.side_by_side import (
    JointRow,
    count_changes,
    joint_cells,
    note_by_names,
    set_side_by_side,
    unlike_states,
)

REFERENCE = (
    "1. A cup comprising:\na round body made of baked clay;\na handle of horn; and\na lid.\n"
    "2. The cup of claim 1, wherein the body is blue.\n"
    "3. The cup of claim 1, wherein the lid is tight."
)
LEFT = (
    "1. A cup comprising:\na round body made of baked tin;\nand\na lid.\n"
    "2. The cup of claim 1, wherein the lid is tight.\n"
    "3. A spoon for stirring soup in deep kettles."
)
RIGHT = (
    "1. A cup comprising:\na round body made of baked tin;\na handle of horn.\n"
    "2. The cup of claim 1, wherein the body is blue."
)


def test_a_claim_that_one_candidate_has_within_another_is_not_said_to_be_lacking() -> None:
    within = REFERENCE.replace(" is blue.\n3. The cup of claim 1,", " is blue,")
    rows = beside(REFERENCE, within, RIGHT).rows
    assert [row.states for row in rows][2] == (State.MERGED, State.MISSING)
    assert rows[2].candidates == (None, None)
    assert rows[2].shares == ("in claim 2", "")


def made(reference: str = REFERENCE, left: str = LEFT, right: str = RIGHT):
    seen = beside(reference, left, right)
    return seen.reference, seen.rows


def beside(reference: str, *candidates: str):
    names = [f"c{number}" for number in range(1, len(candidates) + 1)]
    readings = [read_pair(reference, candidate) for candidate in candidates]
    return set_side_by_side(readings, note_by_names(names))


def numbers(row: JointRow) -> tuple[int | None, ...]:
    return tuple(view.number if view else None for view in (row.reference, *row.candidates))


def text_of(view) -> str:
    return view.marker + "".join(s.text for entry in view.limitations for s in entry.segments)


def test_rows_follow_the_reference_extra_claims_their_predecessor_and_sides_may_be_turned() -> None:
    _, rows = made()
    assert [numbers(row) for row in rows] == [
        (1, 1, 1),
        (2, None, 2),
        (3, 2, None),
        (None, 3, None),
    ]
    _, turned = made(left=RIGHT, right=LEFT)
    assert [(c, b) for _, b, c in map(numbers, turned)] == [
        (b, c) for _, b, c in map(numbers, rows)
    ]


def test_every_claim_stands_once_and_no_text_is_changed() -> None:
    view, rows = made()
    assert "".join(text_of(claim) for claim in view.claims) == REFERENCE
    assert [row.reference for row in rows if row.reference] == list(view.claims)
    for place, text in enumerate((LEFT, RIGHT)):
        views = [view for row in rows if (view := row.candidates[place])]
        assert "".join(text_of(claim) for claim in sorted(views, key=lambda v: v.start)) == text


def test_a_limitation_says_which_side_lacks_it() -> None:
    view, _ = made()
    lacking = {
        "".join(segment.text for segment in entry.segments).strip(" \n;."): entry.note
        for claim in view.claims
        for entry in claim.limitations
        if entry.standing
    }
    assert lacking["a handle of horn; and"] == "not in c1"
    assert lacking["a lid"] == "not in c2"
    assert not any("clay" in words for words in lacking)
    # A word is marked only when neither side has it.
    segments = [one for entry in view.claims[0].limitations for one in entry.segments]
    marked = " ".join(one.text for one in segments if "only-here" in one.kinds)
    assert "clay" in marked and "horn" not in marked and "lid" not in marked


def test_a_sign_that_neither_side_has_is_marked_by_its_class() -> None:
    seen = beside("1. A cup (7) of clay.", "1. A cup.", "1. A cup (8).")
    segments = seen.reference.claims[0].limitations[0].segments
    assert {s.text: s.kinds for s in segments if "7" in s.text} == {"7)": ("only-signs",)}


def test_texts_without_claims_give_rows_too() -> None:
    view, rows = made("words", "", "other words")
    assert text_of(view.claims[0]) == "words"
    assert [row.candidates[0] for row in rows if row.candidates[0]] == []


def test_beside_a_text_too_large_to_cut_all_three_are_whole() -> None:
    huge = "\n1. A" * (CLAIMS.most + 1)
    seen = beside(REFERENCE, LEFT, huge)
    (row,) = seen.rows
    texts = [text_of(view) for view in (row.reference, *row.candidates) if view]
    assert texts == [REFERENCE, LEFT, huge]
    assert seen.notices == (CLAIMS.message(CLAIMS.most + 1),)
    assert joint_cells(seen, ["left", "right"], ["left", "right"]) == ()


def test_a_single_candidate_keeps_the_standings_of_its_limitations() -> None:
    seen = beside(REFERENCE, LEFT)
    assert seen.reference == read_pair(REFERENCE, LEFT).reference
    assert [numbers(row) for row in seen.rows] == [(1, 1), (2, None), (3, 2), (None, 3)]


def test_of_many_candidates_a_limitation_names_those_that_lack_it() -> None:
    seen = beside(REFERENCE, LEFT, RIGHT, "1. A cup comprising:\na round body made of baked clay.")
    notes = {
        "".join(one.text for one in entry.segments).strip(" \n;."): entry.note
        for entry in seen.reference.claims[0].limitations
    }
    assert notes["a handle of horn; and"] == "not in c1, c3"
    assert notes["a lid"] == "not in c2, c3"
    # The third has the clay that the other two lack.
    segments = [one for entry in seen.reference.claims[0].limitations for one in entry.segments]
    assert not any("clay" in one.text and one.kinds for one in segments)
    assert "".join(text_of(claim) for claim in seen.reference.claims) == REFERENCE


def test_a_word_is_marked_that_some_lack_alone_and_others_with_its_limitation() -> None:
    handle = "a curved handle of carved horn; and"
    reference = REFERENCE.replace("a handle of horn; and", handle)
    without = reference.replace(f"{handle}\n", "")
    seen = beside(reference, without, reference.replace("horn", "tin"))
    segments = [one for entry in seen.reference.claims[0].limitations for one in entry.segments]
    assert [one.text for one in segments if "only-here" in one.kinds] == ["horn"]


@pytest.mark.parametrize(("count", "note"), [(2, "in neither"), (3, "in none")])
def test_what_all_lack_is_said_of_none(count, note) -> None:
    seen = beside(REFERENCE, *["1. A cup."] * count)
    assert seen.reference.claims[1].limitations[-1].note == note


def test_a_cell_has_the_gravest_state_and_names_the_candidates_of_each() -> None:
    seen = beside(REFERENCE, LEFT, RIGHT)
    cells = joint_cells(seen, ["left", "right"], ["c1", "c2"])
    assert [(cell.number, cell.state, cell.label) for cell in cells] == [
        (1, State.CHANGED, "changed"),
        (2, State.MISSING, "missing: c1; matched: c2"),
        (3, State.MISSING, "missing: c2; matched: c1"),
        (3, State.ADDED, "added: c1"),
    ]
    assert cells[0].places == ("left-0", "right-0", "reference-0")
    assert all(one.startswith("left-") for one in cells[3].places)


def test_states_and_classes_are_counted_over_all_candidates() -> None:
    seen = beside(REFERENCE, LEFT, RIGHT)
    assert unlike_states(seen, 0) == [
        (State.CHANGED, 1),
        (State.MISSING, 1),
        (State.ADDED, 1),
    ]
    alone = [read_pair(REFERENCE, one).changes for one in (LEFT, RIGHT)]
    assert [name for name, *_ in seen.changes] == [name for name, *_ in alone[0]]
    assert [count for *_, count in seen.changes] == [
        sum(count for *_, count in counts) for counts in zip(*alone, strict=True)
    ]
    assert seen.changes[0][2] > 0


def test_differences_of_shown_claims_are_counted_whatever_marks_cut_them() -> None:
    seen = beside(
        "1. A cup (7) comprising a round body made of baked clay.",
        "1. A cup (8) comprising a round body made of baked red tin.",
        "1. The cup (9) comprising a round body made of baked red tin.",
    )
    row = seen.rows[0]
    counts = {
        name: n for name, _, n in count_changes(filter(None, (row.reference, *row.candidates)))
    }
    # Each text has a sign of its own; "clay" is lacking in both, "red tin" is in two.
    assert (counts["signs"], counts["substance"]) == (3, 3)
    assert counts["articles"] == 1
