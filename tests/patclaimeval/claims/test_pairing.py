from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patclaimeval.claims import pairing as module
from patclaimeval.claims.pairing import Rules, align_claims, compare_bags, pair_up
from patclaimeval.claims.parsing import parse_claims

IN_ORDER = Rules(least=0.25, crossing=2.0, margin=0.0)
CROSSING = Rules(least=0.25, crossing=0.5, margin=0.125)
# Eighths, so that sums are exact.
SQUARES = st.integers(0, 4).flatmap(
    lambda columns: st.lists(
        st.lists(st.integers(0, 8).map(lambda n: n / 8), min_size=columns, max_size=columns),
        max_size=4,
    )
)


def most_in_order(square, least):
    cells = [(i, j) for i, row in enumerate(square) for j in range(len(row))]
    worth = 0.0
    for size in range(1, 5):
        for chosen in combinations(cells, size):
            rising = all(a < c and b < d for (a, b), (c, d) in pairwise(chosen))
            if rising and all(square[i][j] >= least for i, j in chosen):
                worth = max(worth, sum(square[i][j] - least for i, j in chosen))
    return worth


@given(SQUARES)
def test_pairs_in_order_are_worth_as_much_as_any(square):
    pairs = pair_up(square, IN_ORDER)
    assert pairs == sorted(pairs) and [j for _, j in pairs] == sorted({j for _, j in pairs})
    assert sum(square[i][j] - 0.25 for i, j in pairs) == most_in_order(square, 0.25)


@given(SQUARES)
def test_nothing_is_paired_twice_and_no_two_that_are_clearly_alike_stay_alone(square):
    pairs = pair_up(square, CROSSING)
    assert len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs)
    assert all(square[i][j] >= 0.25 for i, j in pairs)
    rows, columns = {i for i, _ in pairs}, {j for _, j in pairs}
    for i, row in enumerate(square):
        for j, score in enumerate(row):
            assert score < 0.5 or i in rows or j in columns


def test_a_clear_crossing_parts_weak_pairs_and_a_weak_one_does_not():
    assert pair_up([[0.6, 0.9], [0.9, 0.6]], CROSSING) == [(0, 1), (1, 0)]
    assert pair_up([[0.6, 0.9], [0.9, 0.6]], IN_ORDER) == [(0, 0), (1, 1)]
    assert pair_up([[0.6, 0.7], [0.7, 0.6]], CROSSING) == [(0, 0), (1, 1)]


def test_equal_bags_are_wholly_alike_and_strange_ones_not_at_all():
    bags = [["pump", "rod"], ["seal"], []]
    scores = compare_bags(bags, [["rod", "pump", "rod"], ["cap"], []])
    assert scores == [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]


def test_a_rare_word_in_common_makes_bags_more_alike_than_a_common_one():
    left = [["pump", "rod"], ["pump", "cap"], ["pump", "seal"]]
    scores = compare_bags(left, [["pump", "valve"], ["seal", "valve"]])
    assert scores[2][1] > scores[2][0] > 0


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


ADDED = "2. The pump of claim 1, wherein a ceramic sleeve surrounds everything."
FIRST, SECOND, THIRD, *_ = REFERENCE.splitlines()
ROTOR = "1. A pump comprising a rotor."
METHOD = "1. A method of cleaning a vessel with a gas, comprising feeding the gas to the vessel."
KETTLE = "1. A kettle for cleaning a vessel with a gas, comprising a feeding of gas to the vessel."
ALIGNED = {
    "a dropped claim leaves its row empty on the other side": (
        *(REFERENCE, lines_of(REFERENCE, 0, 1, 4, 5)),
        [(1, 1), (2, 2), (3, None), (4, None), (5, 3), (6, 4)],
    ),
    "an added claim stands after the row of its predecessor": (
        *(f"{FIRST}\n{SECOND}\n{THIRD}", f"{FIRST}\n{ADDED}\n3{SECOND[1:]}\n4{THIRD[1:]}"),
        [(1, 1), (None, 2), (2, 3), (3, 4)],
    ),
    "an added first claim stands at the top": (
        *(FIRST, f"1. A kettle with a whistle.\n2{FIRST[1:]}"),
        [(None, 1), (1, 2)],
    ),
    "moved claims are found across the order": (
        *(REFERENCE, lines_of(REFERENCE, 4, 5, 0, 1, 2, 3)),
        [(1, 3), (2, 4), (3, 5), (4, 6), (5, 1), (6, 2)],
    ),
    "an independent claim takes an independent one before a dependent one": (
        "1. A pump comprising a rotor, a motor and a bubble detector.",
        "1. A pump comprising a rotor and a motor.\n"
        "2. The pump of claim 1, comprising a rotor, a motor and a bubble detector.",
        [(1, 1), (None, 2)],
    ),
    "a method is paired with the method": (
        *(METHOD, f"{KETTLE}\n{METHOD.replace('1', '2').replace('cleaning', 'scrubbing')}"),
        [(None, 1), (1, 2)],
    ),
    "headings are paired with headings": (
        *(f"What is claimed is:\n{ROTOR}", f"I claim:\n{ROTOR}"),
        [(None, None), (1, 1)],
    ),
    "and never with claims": (f"What is claimed is:\n{ROTOR}", ROTOR, [(None, None), (1, 1)]),
    "a text without numbers is a claim like any other": (ROTOR[3:], ROTOR, [(None, 1)]),
}


@pytest.mark.parametrize("case", ALIGNED)
def test_claims_are_aligned_as_a_reader_would_do_it(case):
    reference, candidate, expected = ALIGNED[case]
    assert numbers(reference, candidate) == expected


def test_claims_that_share_only_their_preamble_are_not_paired():
    candidate = (
        "1. A pump comprising a housing and a rotor.\n2. The pump of claim 1, with a red lid."
    )
    assert (None, 2) in numbers(REFERENCE, candidate)


RENAMED = (
    "1. A pump comprising a housing, an impeller in the housing and a seal.\n"
    "2. The pump of claim 1, wherein the impeller is of steel.\n"
    "3. The pump of claim 2, wherein the impeller turns.\n"
)


def rows_of(reference, candidate):
    rows = align_claims(parse_claims(reference), parse_claims(candidate))
    return [(row.reference, row.candidate, row.is_moved) for row in rows]


def test_claims_that_only_rename_a_term_stand_beside_each_other():
    candidate = RENAMED.replace("an impeller", "a rotor").replace("impeller", "rotor")
    assert rows_of(RENAMED, candidate) == [(0, 0, False), (1, 1, False), (2, 2, False)]


def test_a_word_that_both_sides_have_is_no_renaming():
    bags = [["pump", "impeller", "seal"]], [["pump", "rotor", "impeller"]]
    assert module._renamed({0: 0}, *bags) == {}
    assert module._renamed({0: 0}, [["pump", "impeller"]], [["pump", "rotor"]]) == {
        "rotor": "impeller"
    }


def test_claims_between_pairs_that_cite_counterparts_are_paired_with_little_in_common():
    reference = RENAMED + "4. The pump of claim 3, wherein a groove guides oil."
    other = RENAMED + "4. The pump of claim 3, wherein ribs hold the shaft."
    assert rows_of(reference, other)[-1] == (3, 3, False)
    apart = RENAMED + "4. The pump of claim 1, wherein ribs hold the shaft."
    assert rows_of(reference, apart)[-2:] == [(None, 3, False), (3, None, False)]


def test_a_renamed_claim_that_cites_no_claim_stands_beside_its_counterpart():
    lines = RENAMED.splitlines()
    reference = "\n".join([*lines[:2], "3. The pump of claim 1, wherein a groove guides oil."])
    candidate = "\n".join([*lines[:2], "3. The pump of claim 22, wherein ribs lead the oil."])
    assert rows_of(reference, candidate)[-1] == (2, 2, False)


OF_ITS_OWN = """1. A battery comprising a flame retardant, a salt and a solvent.
2. The battery of claim 1, wherein a ratio of the salt to the solvent is below one tenth.
3. The battery of claim 1, wherein the solvent is an ester.
4. The battery of claim 1, wherein the flame retardant is encapsulated.
5. The battery of claim 1, wherein the salt is dried for one hour at most."""
DRIED = "The battery of claim 1, wherein the salt is dried for one hour at most."
INHIBITOR = "The battery of claim {}, wherein the fire inhibitor is encapsulated."


@pytest.mark.parametrize(
    ("reference", "claims", "is_found"),
    [
        (OF_ITS_OWN, (INHIBITOR.format(1), DRIED), True),
        (
            OF_ITS_OWN.replace("an ester", "an encapsulated ester"),
            (INHIBITOR.format(1), DRIED),
            False,
        ),
        (OF_ITS_OWN, (INHIBITOR.format(3), DRIED), False),
        (OF_ITS_OWN, (DRIED, INHIBITOR.format(1)), False),
        (
            OF_ITS_OWN.replace("encapsulated", "encapsulated by three nozzles above a cold bath"),
            (INHIBITOR.format(1)[:-1] + " in a shell of resin that melts late.", DRIED),
            False,
        ),
    ],
    ids=["alone", "not its own", "cites another", "not between", "hardly alike"],
)
def test_a_claim_whose_terms_are_all_renamed_is_found_by_a_word_of_its_own(
    reference, claims, is_found
):
    lines = ["A battery comprising a salt and a solvent.", *claims]
    candidate = "\n".join(f"{n}. {line}" for n, line in enumerate(lines, start=1))
    pairs = {(left, right) for left, right, _ in rows_of(reference, candidate)}
    assert ((3, 1 + (claims[0] == DRIED)) in pairs) is is_found
    assert (4, 2 - (claims[0] == DRIED)) in pairs


def test_a_claim_that_leaves_the_order_is_moved_and_the_others_are_not():
    lines = [
        "1. A pump with a rod and a seal of rubber.",
        "{}. The pump of claim 1, wherein the rod of brass has a long thread.",
        "{}. The pump of claim 1, wherein a ring of cork closes the gap.",
        "{}. The pump of claim 1, wherein oil cools the electric motor.",
    ]
    reference = "\n".join(line.format(n) for n, line in enumerate(lines, start=1))
    turned = [lines[0], lines[3], lines[1], lines[2]]
    candidate = "\n".join(line.format(n) for n, line in enumerate(turned, start=1))
    assert rows_of(reference, candidate) == [
        (0, 0, False), (1, 2, False), (2, 3, False), (3, 1, True),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("second", "is_other"),
    [
        ("2. A method of making the pump of claim 1.", True),
        ("2. The pump of claim 1, made by a method.", False),
        ("2. A pump.", False),
    ],
)
def test_a_method_that_cites_a_product_claim_is_of_another_category(second, is_other):
    claims = parse_claims(f"1. A pump with a rod.\n{second}")
    assert module.other_category(claims) == [False, is_other]
