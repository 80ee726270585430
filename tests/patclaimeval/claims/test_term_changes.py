import pytest
from hypothesis import given
from hypothesis import strategies as st

from patclaimeval.claims import term_changes as module
from patclaimeval.claims.term_changes import foreign_terms, renamed_terms, root_of
from tests.amounts import tries

REFERENCE = "1. A pump comprising a stepper motor (12), a light emitting diode and a rotating rod."


def terms(candidate, reference=REFERENCE):
    return [item.term for item in foreign_terms(reference, candidate)]


def test_new_noun_phrases_are_found_at_their_first_place():
    text = (
        "1. A pump with a hybrid stepper gearbox, the gearbox having a magnet, a magnet and a cap."
    )
    found = foreign_terms(REFERENCE, text)
    assert [item.term for item in found] == ["hybrid stepper gearbox", "magnet", "cap"]
    assert [item.start for item in found] == [text.index(item.term) for item in found]


@pytest.mark.parametrize(
    "text",
    [
        "a pump that lifts the rod",
        "a rod sent to the motor",
        "the motor lifting the rod quickly",
        "a slender rod and a greased motor",
        "the motor is larger than the rod",
        "the motors lift the rods",
        "configured to magnetise the rod",
        "a motor cooperative with the rod",
    ],
)
def test_new_verbs_adjectives_and_adverbs_are_no_terms(text):
    assert terms(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "a brake for the motor, configured to brake the rod",
        "a brake for the motor, configured to brake quickly",
    ],
)
def test_a_noun_that_is_a_verb_elsewhere_is_found_as_a_noun_only(text):
    (found,) = foreign_terms(REFERENCE, text)
    assert found.start == text.index("brake")
    assert foreign_terms(REFERENCE, text, skip=[(0, 10)]) == ()


def test_a_term_runs_from_its_first_new_word_to_its_noun():
    assert terms("a pump having a linkage and a stepper linkage motor") == ["linkage"]
    assert terms("a polished stepper linkage motor, the linkage being red") == [
        "polished stepper linkage motor"
    ]


def test_a_term_ends_before_an_adjective_behind_its_noun():
    assert terms("a pump with a nozzle intermediate between the rods") == ["nozzle"]


def test_left_out_spans_and_renamed_terms_have_no_new_terms():
    text = "1. A pump with a magnet. 2. A gearbox with a magnet and a canister."
    at = text.index("2.")
    assert [one.term for one in foreign_terms(REFERENCE, text, skip=[(at, len(text))])] == [
        "magnet"
    ]
    found = foreign_terms(REFERENCE, text, skip=[(0, at)], renamed=["canisters"])
    assert [(one.term, one.start > at) for one in found] == [("gearbox", True), ("magnet", True)]


@pytest.mark.parametrize(
    ("candidate", "reference", "found"),
    [
        ("a permanent ring magnet near the rod", REFERENCE, ["permanent ring magnet"]),
        ("a magnet, a spring and a cap", REFERENCE, ["magnet", "spring", "cap"]),
        ("an LED and an IP address", REFERENCE, ["LED", "IP address"]),
        ("LEDs", "an LED", []),
        ("a micro-processor", "a microprocessor", []),
        ("a microprocessor", "a micro-processor", []),
    ],
    ids=[
        *("neighbours are one term", "listed", "abbreviations", "the plural of one"),
        *("in two pieces", "in one piece"),
    ],
)
def test_new_words_are_terms_as_they_stand_together(candidate, reference, found):
    assert terms(candidate, reference) == found


@pytest.mark.parametrize(
    "words",
    [
        "the rods rotate by rotation of stepper-motors",
        "pumps pumped by pumping",
        "a light-emitting diode",
        "Stepper MOTOR",
        "2. The method of claim 1, further comprising at least one of said rods, wherein",
        "a plurality of first and second rods configured to be respectively provided",
        "a rod (14) of 20 mm at 300 rpm",
        "(a) the rod, (ii) the motor",
    ],
)
def test_inflections_claim_words_numbers_and_letters_are_not_new(words):
    assert terms(words) == []


@pytest.mark.parametrize(
    "family",
    [
        *("rotate rotates rotating rotated rotation", "compress compressed compression"),
        *("control controls controlled controlling controller", "dry dried drying", "valve valves"),
        *("vary varied varying varies variation", "transmit transmitting transmission"),
        *("heat heated heating heater", "coat coated coating", "install installed installing"),
        *("measure measured measuring measurement", "create created creation"),
        "determine determined determination",
    ],
)
def test_a_family_of_words_has_one_stem(family):
    assert len({root_of(word) for word in family.split()}) == 1


def test_text_without_latin_words_has_no_terms():
    assert foreign_terms("1. 一种泵。", "1. A pump.") == ()
    assert foreign_terms("1. A pump.", "1. 一种泵、包括壳体。") == ()
    assert foreign_terms("", "1. A pump.") == ()


@given(st.text(), st.text())
def test_any_text_is_read_and_spans_hold_their_terms(reference, candidate):
    for item in foreign_terms(reference, candidate):
        assert candidate[item.start : item.end] == item.term


@given(st.text(alphabet="abc XYZ-é.1"))
def test_a_text_has_no_new_terms_against_itself(text):
    assert foreign_terms(text, text) == ()


def test_long_texts_are_searched_to_their_end():
    many = tries(100_000)
    assert len(foreign_terms("a pump", "a magnet, " * many)) == 1
    assert len(foreign_terms("a pump", "magnet " * many + "a magnet.")) == 1
    letters = (str(n).translate(str.maketrans("0123456789", "bcdfghklmn")) for n in range(many))
    names = " ".join(f"a {name}ova," for name in letters)
    assert len(foreign_terms("a pump", names)) > many // 2
    claims = "".join(
        f"{n}. A pump with a housing {n + 10}, the casing {n}.\n" for n in range(1, tries(2000))
    )
    assert renamed_terms(claims)
    assert renamed_terms("1. A pump " + "with a rod (12), the bar (12), " * tries(5000))


def names(text):
    found = renamed_terms(text)
    assert all(text[item.start : item.end] == item.then for item in found)
    return [(item.first, item.then) for item in found]


@pytest.mark.parametrize(
    ("text", "first", "then"),
    [
        ("1. A housing (12), wherein the enclosure (12) is round.", "housing", "enclosure"),
        ("1. A housing 12 with a rod 14; the enclosure 12 is round.", "housing", "enclosure"),
        (
            "1. A rod (12) and, beside many other fine things that make up a pump, a seal (12).",
            "rod",
            "seal",
        ),
        ("1. A pump with a housing, the casing being red.", "housing", "casing"),
        ("1. A pump housing, the pump casing being red.", "pump housing", "pump casing"),
        ("1. A controller unit, the control unit being red.", "controller unit", "control unit"),
        ("1. A touchscreen, the touch screen being wide.", "touchscreen", "touch screen"),
        ("1. A micro-processor, the microprocessor.", "micro-processor", "microprocessor"),
        ("1. An abnormality, the abnormaility being grave.", "abnormality", "abnormaility"),
    ],
)
def test_a_second_name_is_found_with_its_place(text, first, then):
    assert names(text) == [(first, then)]


def test_the_second_name_is_found_down_the_chain_only():
    text = "1. A pump with a housing.\n2. The pump of claim 1, the casing being red."
    assert names(text) == [("housing", "casing")]
    text = "1. A pump with a housing.\n2. A fan.\n3. The fan of claim 2, the casing being red."
    assert names(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "1. A housing (12), wherein the round housing (12) is red.",
        "1. A pump housing (12), wherein the housing (12) is red.",
        "1. A Cable Modem, CM, (140), wherein the cable modem (140) is new.",
        "1. A Cable Modem (140), wherein the CM (140) is new.",
        "1. A method of receiving (720) data and sending (720) data.",
        "1. A rod (18, 19), wherein a sleeve (18) is long.",
        "1. A rod of claim 12, wherein a seal 12 is soft.",
        "1. A mixture at least 20 percent, with a part 20 percent.",
        "1. A housing and a casing, the housing being red and the casing being blue.",
        "1. A first valve, a second valve, the first valve, the second valve.",
        "1. A heating unit and a heated unit, the heated unit being red.",
        "1. A rod, the seal being soft.",
        "1. A control unit, the control units being red.",
        "1. A device; (1) a rod; (2) a bar; or (1) a seal.",
    ],
)
def test_one_name_or_two_things_are_left_alone(text):
    assert names(text) == []


@given(st.text(alphabet="the a rod (12) bar.\n"))
def test_any_text_is_searched_for_second_names(text):
    for item in renamed_terms(text):
        assert 0 <= item.start < item.end <= len(text)


def test_of_a_term_repeated_in_a_claim_two_places_are_kept_at_most() -> None:
    known = module._Introduced()
    names = [module._Name((word, "unit"), n, n + 1) for n, word in enumerate("aaabbbc" * 50)]
    for name in names:
        known.add(3, name)
    assert sum(map(len, known.names.values())) == 2
    for words, start, first in (("a", 900, 3), ("b", 900, 0), ("x", 900, 0), ("a", 3, None)):
        found = known.first_other(1 << 3, module._Name((words, "unit"), start, start + 1))
        assert (found.start if found else None) == first
    assert known.first_other(1 << 2, names[-1]) is None


def test_what_has_basis_on_another_path_has_no_second_name() -> None:
    text = (
        "1. A pump with an aperture. 2. The pump of claim 1, further comprising an opening. "
        "3. The pump of claim 1 or 2, wherein the opening is round."
    )
    assert renamed_terms(text) == ()
    assert renamed_terms(text.replace("claim 1 or 2", "claim 1")) != ()
