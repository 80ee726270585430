import pytest

from patclaimeval.claims.ledger import Naming, find_new_terms, find_term_changes
from patclaimeval.claims.notes import find_notes
from patclaimeval.claims.pairing import align_claims
from patclaimeval.claims.parsing import parse_claims

REFERENCE = (
    "1. A dispenser comprising a canister with a lid and a spring in the canister, the lid being "
    "pressed against the canister by the spring. 2. The dispenser of claim 1, wherein the canister "
    "is of steel. 3. The dispenser of claim 2, wherein the canister has a base."
)


def find(candidate, reference=REFERENCE):
    sides = parse_claims(reference), parse_claims(candidate)
    rows = align_claims(*sides)
    pairs = [(r.reference, r.candidate) for r in rows if None not in (r.reference, r.candidate)]
    return find_term_changes(*sides, pairs)


def lines(candidate, reference=REFERENCE):
    return [
        (one.reference, one.candidate, one.replaced, one.of, one.verdict.value)
        for one in find(candidate, reference)
    ]


def test_a_term_that_has_another_name_everywhere_is_renamed():
    candidate = REFERENCE.replace("canister", "container")
    (found,) = find(candidate)
    assert (found.reference, found.candidate) == ("canister", "container")
    assert (found.replaced, found.of, found.verdict) == (5, 5, Naming.RENAMED)
    assert [candidate[start:end] for start, end in found.spans] == ["container"] * 5


def test_a_term_that_keeps_its_name_in_places_drifts():
    candidate = REFERENCE.replace("canister", "container", 2)
    assert lines(candidate) == [("canister", "container", 2, 5, "drifts")]


def test_one_place_is_not_enough():
    assert lines(REFERENCE.replace("base", "foot")) == []
    assert lines(REFERENCE.replace("canister", "container", 1)) == []


def test_a_modifier_is_reported_with_its_noun():
    reference = REFERENCE.replace("canister", "boot server")
    candidate = REFERENCE.replace("canister", "provisioning server")
    assert lines(candidate, reference) == [("boot server", "provisioning server", 5, 5, "renamed")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("comprising", "including"),
        ("canister", "Canisters"),
        ("pressed against", "held against"),
        ("claim", "claims"),
        ("steel", "aluminium, steel"),
    ],
)
def test_other_differences_are_no_renaming(old, new):
    assert old in REFERENCE
    assert lines(REFERENCE.replace(old, new)) == []


def test_spellings_of_a_word_are_one():
    for british, american in (("fibre", "fiber"), ("mould", "mold"), ("colour", "color")):
        reference = REFERENCE.replace("canister", british)
        assert lines(REFERENCE.replace("canister", american), reference) == []


def test_a_term_of_the_reference_in_the_place_of_one_that_stays_is_no_renaming():
    assert lines(REFERENCE.replace("canister", "spring", 2)) == []


def test_other_languages_are_not_read():
    reference = (
        "1. Vorrichtung mit einem Deckel, wobei der Deckel an der Dose angeordnet ist und die Dose "
        "eine Feder umfasst."
    )
    assert lines(reference.replace("Dose", "Kanne"), reference) == []


def test_a_term_is_written_as_in_the_claims():
    reference = REFERENCE.replace("canister", "CMTS (12)")
    candidate = REFERENCE.replace("canister", "router")
    assert lines(candidate, reference) == [("CMTS", "router", 5, 5, "renamed")]


def test_verbs_and_adjectives_are_no_terms():
    reference = (
        "1. A pump that rotates the rotor and rotates the lid. 2. A pump that rotates the cap."
    )
    candidate = reference.replace("rotates", "revolves")
    assert lines(candidate, reference) == []


def test_a_new_name_that_the_reference_has_is_marked_only_where_it_was_put():
    candidate = REFERENCE.replace("canister", "dispenser body").replace("lid", "spring")
    (found,) = [one for one in find(candidate) if one.reference == "lid"]
    assert (found.candidate, len(found.spans)) == ("spring", 2)


def test_new_terms_are_looked_for_in_claims_with_a_counterpart_and_not_in_remarks():
    candidate = (
        REFERENCE.replace("canister", "router").replace("a base", "a base and a magnet")
        + " 4. A gearbox with a wheel. Note that a lawyer reads this."
    )
    sides = parse_claims(REFERENCE), parse_claims(candidate)
    notes = find_notes("candidate", candidate, sides[1])
    for pairs, terms in (
        ([(0, 0), (1, 1), (2, 2)], ["magnet"]),
        ([(0, 0), (1, 1), (2, 3)], ["gearbox", "wheel"]),
    ):
        changes = find_term_changes(*sides, pairs)
        found = find_new_terms(*sides, pairs, changes, notes)
        assert [one.term for one in found] == terms


def test_a_name_that_only_its_qualifier_tells_apart_is_renamed_with_it() -> None:
    reference = (
        "1. A cell comprising: a doped layer on a base layer; and a metal layer on the doped layer."
        "\n2. The cell of claim 1, wherein the doped layer is thin."
    )
    assert lines(reference.replace("doped layer", "doped film"), reference) == [
        ("doped layer", "doped film", 3, 3, "renamed")
    ]
    assert lines(reference.replace("layer", "film"), reference) == [
        ("layer", "film", 5, 5, "renamed")
    ]
