"""Claims that one side has as one and the other as several."""

import pytest

from patclaimeval.claims.minimap import cells_of
from patclaimeval.claims.reading import Reading, read_pair

PUMP = "1. A pump comprising a housing of cast iron, a rotor in the housing and a hollow shaft."
SPRING = "2. The pump of claim 1, wherein a helical spring of steel presses the seal on the shaft."
COVER = "3. The pump of claim 1, wherein the cover is bolted to a flange of the outlet pipe."
BOTH = (
    "2. The pump of claim 1, wherein a helical spring of steel presses the seal on the shaft, "
    "wherein the cover is bolted to a flange of the outlet pipe."
)
TWO = f"{PUMP}\n{SPRING}\n{COVER}"
ONE = f"{PUMP}\n{BOTH}"


def shares(reading: Reading) -> list[tuple[str, str]]:
    return [(cell.state.value, cell.label) for cell in cells_of(reading)]


def standings(reading: Reading) -> list[str]:
    sides = (reading.reference, reading.candidate)
    return [
        entry.standing for side in sides for claim in side.claims for entry in claim.limitations
    ]


def test_two_claims_in_one_are_merged_and_nothing_of_them_is_missing_or_added() -> None:
    reading = read_pair(TWO, ONE)
    assert shares(reading) == [
        ("matched", "matched"),
        ("merged", "merged from claims 2 and 3 of the reference"),
        ("merged", "merged into claim 2 of the candidate"),
    ]
    assert set(standings(reading)) == {"matched"}


def test_one_claim_in_two_is_split() -> None:
    reading = read_pair(ONE, TWO)
    assert shares(reading) == [
        ("matched", "matched"),
        ("split", "split into claims 2 and 3 of the candidate"),
        ("split", "split from claim 2 of the reference"),
    ]
    assert set(standings(reading)) == {"matched"}


def test_a_dependent_claim_put_into_the_independent_one_is_merged() -> None:
    given = f"{PUMP[:-1]}, wherein the cover is bolted to a flange of the outlet pipe."
    found = shares(read_pair(f"{PUMP}\n{COVER.replace('3.', '2.')}", given))
    assert found == [
        ("merged", "merged from claims 1 and 2 of the reference"),
        ("merged", "merged into claim 1 of the candidate"),
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # A word of the part is not there.
        ("bolted to a flange", "glued to a flange"),
        # Its words lie in two limitations.
        ("bolted to a flange of the outlet pipe", "bolted, wherein a flange of the outlet pipe"),
        # The whole denies what the part says.
        ("is bolted", "is not bolted"),
        # The whole says much more than its parts.
        ("outlet pipe", "outlet pipe, wherein " + ", ".join("abcdefghijklmnopqrstuvwxy") * 2),
    ],
)
def test_in_doubt_a_claim_is_missing(old: str, new: str) -> None:
    found = dict.fromkeys(state for state, _ in shares(read_pair(TWO, ONE.replace(old, new))))
    assert "missing" in found and "merged" not in found


def test_another_one_of_several_is_no_part() -> None:
    reference = TWO.replace("the cover is", "the second cover is")
    assert ("missing", "missing") in shares(read_pair(reference, ONE))


def test_a_method_is_no_part_of_a_thing_and_a_repetition_no_part_of_a_claim() -> None:
    method = COVER.replace("The pump", "The method")
    assert "merged" not in dict(shares(read_pair(f"{PUMP}\n{SPRING}\n{method}", ONE)))
    again = "\n".join((PUMP, SPRING, SPRING.replace("2.", "3.")))
    assert "merged" not in dict(shares(read_pair(again, f"{PUMP}\n{SPRING}")))


def test_words_that_many_claims_say_show_nothing() -> None:
    rest = "\n".join(
        f"{n}. The pump of claim 1, wherein the cover is bolted to a flange of the outlet pipe, "
        f"wherein a camera x{n} with a lens y{n} films the dial z{n}."
        for n in range(2, 12)
    )
    candidate = f"{PUMP}\n{rest}"
    reference = (
        f"{PUMP}\n{rest.replace('the cover is bolted to a flange of the outlet pipe, ', '')}"
    )
    part = COVER.replace("3.", "12.")
    found = shares(read_pair(f"{reference}\n{part}", candidate))
    assert found[-1] == ("missing", "missing")
