"""Tests of the alignment of candidate claims with reference claims."""

from hypothesis import given
from hypothesis import strategies as st

from annotator.claims.pairing import align_claims
from core.claim_text import parse_claims

REFERENCE = """1. A pump comprising a housing; a rotor in the housing; and an electric motor.
2. The pump of claim 1, wherein the rotor carries helical blades.
3. The pump of claim 1, further comprising a bubble detector in a vent line.
4. The pump of claim 3, wherein the vent line is transparent.
5. A method of draining a cellar, comprising lowering a hose and switching on the electric motor.
6. The method of claim 5, wherein the hose is weighted with lead."""

LINES = st.lists(
    st.sampled_from(
        [
            "1. A pump comprising a rotor.",
            "2. The pump of claim 1, wherein the rotor is round.",
            "3. A method of pumping.",
            "What is claimed is:",
            "2. The pump of claim 1, wherein the rotor is round.",
            "\x00\u202e",
            "7. 一种泵，包括壳体。",  # noqa: RUF001
        ]
    ),
    max_size=8,
).map("\n".join)
TEXTS = st.one_of(st.text(max_size=60), LINES)


def numbers(reference, candidate):
    left, right = parse_claims(reference), parse_claims(candidate)
    return [
        (
            None if row.reference is None else left[row.reference].number,
            None if row.candidate is None else right[row.candidate].number,
        )
        for row in align_claims(left, right)
    ]


def lines_of(text, *places):
    """The lines in a new order under new numbers; citations are left as they are."""
    lines = [line.split(". ", 1)[1] for line in text.splitlines()]
    return "\n".join(f"{number}. {lines[place]}" for number, place in enumerate(places, start=1))


@given(TEXTS, TEXTS)
def test_every_claim_of_both_sides_stands_exactly_once(reference, candidate):
    left, right = parse_claims(reference), parse_claims(candidate)
    rows = align_claims(left, right)
    assert [row.reference for row in rows if row.reference is not None] == list(range(len(left)))
    assert sorted(row.candidate for row in rows if row.candidate is not None) == list(
        range(len(right))
    )
    assert all(row.reference is not None or row.candidate is not None for row in rows)
    assert rows == align_claims(left, right)


@given(TEXTS)
def test_a_claim_set_is_aligned_with_itself_in_order(text):
    claims = parse_claims(text)
    rows = align_claims(claims, claims)
    assert [(row.reference, row.candidate) for row in rows] == [(i, i) for i in range(len(claims))]


def test_a_dropped_claim_leaves_its_row_empty_on_the_other_side():
    candidate = lines_of(REFERENCE, 0, 1, 4, 5)
    expected = [(1, 1), (2, 2), (3, None), (4, None), (5, 3), (6, 4)]
    assert numbers(REFERENCE, candidate) == expected


def test_an_added_claim_stands_after_the_row_of_its_predecessor():
    added = "2. The pump of claim 1, wherein a ceramic sleeve surrounds everything."
    lines = lines_of(REFERENCE, 0, 1, 2).splitlines()
    candidate = "\n".join([lines[0], added, "3. " + lines[1][3:], "4. " + lines[2][3:]])
    assert numbers(REFERENCE, candidate)[:4] == [(1, 1), (None, 2), (2, 3), (3, 4)]


def test_an_added_first_claim_stands_at_the_top():
    candidate = "1. A kettle with a whistle.\n2. " + REFERENCE.splitlines()[0][3:]
    assert numbers(REFERENCE, candidate)[:2] == [(None, 1), (1, 2)]


def test_moved_claims_are_found_across_the_order():
    candidate = lines_of(REFERENCE, 4, 5, 0, 1, 2, 3)
    assert dict(numbers(REFERENCE, candidate)) == {1: 3, 2: 4, 3: 5, 4: 6, 5: 1, 6: 2}


def test_claims_that_share_only_their_preamble_are_not_paired():
    candidate = (
        "1. A pump comprising a housing and a rotor.\n2. The pump of claim 1, wherein a lid is red."
    )
    assert (None, 2) in numbers(REFERENCE, candidate)


def test_an_independent_claim_takes_an_independent_one_before_a_dependent_one():
    reference = "1. A pump comprising a rotor, a motor and a bubble detector."
    candidate = (
        "1. A pump comprising a rotor and a motor.\n"
        "2. The pump of claim 1, comprising a rotor, a motor and a bubble detector."
    )
    assert numbers(reference, candidate) == [(1, 1), (None, 2)]


def test_a_method_is_paired_with_the_method():
    reference = (
        "1. A method of cleaning a vessel with a gas, comprising feeding the gas to the vessel."
    )
    candidate = (
        "1. A kettle for cleaning a vessel with a gas, comprising a feeding of gas to the vessel.\n"
        "2. A method of scrubbing a vessel with a gas, comprising feeding the gas to the vessel."
    )
    assert numbers(reference, candidate) == [(None, 1), (1, 2)]


def test_headings_are_paired_with_headings_and_never_with_claims():
    reference = "What is claimed is:\n1. A pump comprising a rotor."
    assert numbers(reference, "I claim:\n1. A pump comprising a rotor.") == [(None, None), (1, 1)]
    assert numbers(reference, "1. A pump comprising a rotor.") == [(None, None), (1, 1)]


def test_a_text_without_numbers_is_a_claim_like_any_other():
    assert numbers("A pump comprising a rotor.", "1. A pump comprising a rotor.") == [(None, 1)]
