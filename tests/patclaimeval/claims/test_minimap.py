"""One cell a claim: matched, changed, moved, missing or added."""

from patclaimeval.claims.minimap import State, cells_of, count_states
from patclaimeval.claims.reading import read_pair, read_plainly

REFERENCE = (
    "1. A pump comprising a housing (10) and a rotor that is mounted in the housing.\n"
    "2. The pump of claim 1, wherein a spring of steel presses the seal against the shaft.\n"
    "3. The pump of claim 1, wherein an electric sensor measures the pressure of the oil.\n"
    "4. The pump of claim 1, wherein the cover is bolted to the flange of the outlet."
)


def states(candidate: str) -> list[tuple[int | None, str]]:
    return [(cell.number, cell.label) for cell in cells_of(read_pair(REFERENCE, candidate))]


def test_an_equal_set_is_matched_throughout() -> None:
    assert states(REFERENCE) == [(n, "matched") for n in (1, 2, 3, 4)]


def test_another_reference_sign_changes_no_claim_and_another_material_does() -> None:
    found = states(REFERENCE.replace("(10)", "(12)").replace("of steel", "of rubber"))
    assert found == [(1, "matched"), (2, "changed"), (3, "matched"), (4, "matched")]


def test_a_lost_claim_is_missing_and_a_new_one_added() -> None:
    lines = REFERENCE.split("\n")
    new = "4. The pump of claim 1, wherein a camera with two lenses films the display."
    found = states("\n".join([lines[0], lines[1], lines[2], new]))
    assert sorted(found) == [
        (1, "matched"),
        (2, "matched"),
        (3, "matched"),
        (4, "added"),
        (4, "missing"),
    ]


def test_a_claim_of_which_others_only_have_similar_words_is_missing_and_not_merged() -> None:
    reference = (
        "1. A box comprising a base made of oak.\n"
        "2. The box of claim 1, further having a lid hinged to the base by a brass hinge.\n"
    )
    candidate = "1. A box comprising a base made of oak; and a cover with a brass hinge.\n"
    reading = read_pair(reference, candidate)
    assert reading.chart is not None
    assert "similar words in claim 1" in {row.label for row in reading.chart.rows}
    assert [cell.label for cell in cells_of(reading)] == ["changed", "missing"]


def test_a_claim_elsewhere_is_moved_with_its_number_there() -> None:
    lines = REFERENCE.split("\n")
    order = [lines[0], "2" + lines[3][1:], "3" + lines[1][1:], "4" + lines[2][1:]]
    found = dict(states("\n".join(order)))
    assert found[4] == "moved, claim 2 of the candidate"
    changed = order[1].replace("bolted", "glued")
    found = dict(states("\n".join([lines[0], changed, *order[2:]])))
    assert found[4] == "changed and moved, claim 2 of the candidate"


def test_places_name_the_elements_and_states_are_counted_in_order() -> None:
    cells = cells_of(read_pair(REFERENCE, REFERENCE.split("\n", maxsplit=1)[0]))
    assert cells[0].places == ("candidate-0", "reference-0")
    assert all(one.places[0].startswith("reference-") for one in cells[1:])
    assert list(count_states(cells).items()) == [(State.MATCHED, 1), (State.MISSING, 3)]


def test_a_plain_reading_has_no_cells() -> None:
    assert cells_of(read_plainly(REFERENCE, REFERENCE)) == ()
