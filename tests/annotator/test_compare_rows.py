from annotator.claims.reading import CLAIMS, read_pair
from annotator.reading import CompareRow, compare_rows

REFERENCE = (
    "1. A cup comprising:\na body made of clay;\na handle of horn; and\na lid.\n"
    "2. The cup of claim 1, wherein the body is blue.\n"
    "3. The cup of claim 1, wherein the lid is tight."
)
LEFT = (
    "1. A cup comprising:\na body made of tin;\nand\na lid.\n"
    "2. The cup of claim 1, wherein the lid is tight.\n"
    "3. A spoon for stirring soup in deep kettles."
)
RIGHT = (
    "1. A cup comprising:\na body made of tin;\na handle of horn.\n"
    "2. The cup of claim 1, wherein the body is blue."
)


def made(reference: str = REFERENCE, left: str = LEFT, right: str = RIGHT):
    seen = compare_rows(read_pair(reference, left), read_pair(reference, right))
    return seen.reference, seen.rows


def numbers(row: CompareRow) -> tuple[int | None, ...]:
    return tuple(view.number if view else None for view in (row.reference, row.left, row.right))


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
    for side, text in (("left", LEFT), ("right", RIGHT)):
        views = [getattr(row, side) for row in rows if getattr(row, side)]
        assert "".join(text_of(claim) for claim in sorted(views, key=lambda v: v.start)) == text


def test_a_limitation_says_which_side_lacks_it() -> None:
    view, _ = made()
    lacking = {
        "".join(segment.text for segment in entry.segments).strip(" \n;."): entry.standing
        for claim in view.claims
        for entry in claim.limitations
        if entry.standing
    }
    assert lacking["a handle of horn; and"] == "missing-left"
    assert lacking["a lid"] == "missing-right"
    assert not any("clay" in words for words in lacking)
    # A word is marked only when neither side has it.
    segments = [one for entry in view.claims[0].limitations for one in entry.segments]
    marked = " ".join(one.text for one in segments if "only-here" in one.kinds)
    assert "clay" in marked and "horn" not in marked and "lid" not in marked


def test_a_sign_that_neither_side_has_is_marked_by_its_class() -> None:
    readings = [
        read_pair("1. A cup (7) of clay.", other) for other in ("1. A cup.", "1. A cup (8).")
    ]
    segments = compare_rows(*readings).reference.claims[0].limitations[0].segments
    assert {s.text: s.kinds for s in segments if "7" in s.text} == {"7)": ("only-signs",)}


def test_texts_without_claims_give_rows_too() -> None:
    view, rows = made("words", "", "other words")
    assert text_of(view.claims[0]) == "words"
    assert [row.left for row in rows if row.left] == []


def test_beside_a_text_too_large_to_cut_all_three_are_whole() -> None:
    huge = "\n1. A" * (CLAIMS.most + 1)
    seen = compare_rows(read_pair(REFERENCE, LEFT), read_pair(REFERENCE, huge))
    (row,) = seen.rows
    texts = [text_of(view) for view in (row.reference, row.left, row.right) if view]
    assert texts == [REFERENCE, LEFT, huge]
    assert seen.notices == (CLAIMS.message(CLAIMS.most + 1),)
