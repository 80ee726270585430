import pytest

from patclaimeval.claims.preambles import find_preamble_mismatches
from tests.amounts import tries


def mismatches(text):
    found = find_preamble_mismatches(text)
    assert all(text[one.start : one.end] == one.phrase for one in found)
    return [(one.claim, one.phrase, one.cited, one.cited_phrase) for one in found]


MOTOR = "1. A small motor with a rod.\n"


@pytest.mark.parametrize(
    ("rest", "found"),
    [
        ("2. The dispenser according to claim 1.", (2, "The dispenser", 1, "A small motor")),
        ("2. A dispenser (10), as claimed in claim 1.", (2, "A dispenser", 1, "A small motor")),
        ("2. The method of claim 1.", (2, "The method", 1, "A small motor")),
        (
            "2. A car with the motor of claim 1.\n3. The bottle of any preceding claim.",
            (3, "The bottle", 1, "A small motor"),
        ),
        (
            "2. A car with the motor of claim 1.\n3. The motor of claim 1 or 2.",
            (3, "The motor", 2, "A car"),
        ),
    ],
)
def test_a_preamble_that_names_another_thing_than_the_cited_claim_is_found(rest, found):
    assert mismatches(MOTOR + rest) == [found]


@pytest.mark.parametrize(
    "text",
    [
        MOTOR + "2. A method of using the motor of claim 1.",
        MOTOR + "2. A car comprising the motor of claim 1.\n3. The car of claim 2.",
        MOTOR + "2. The device of claim 1.",
        MOTOR + "2. The motors of claim 1.",
        MOTOR + "2. The lid of claim 7.",
        MOTOR + "2. A lid for the motor of claim 1.\n3. A lid.",
        "1. An image processing system with a rod.\n2. The system of claim 1.",
        "1. A method of heating oil.\n2. The process of claim 1.",
        "1. A valve assembly with a rod.\n2. The valve of claim 1.",
        "1. A device for dispensing oil.\n2. The dispenser of claim 1.",
        "1. An intravenous (IV) pole base with a rod.\n2. The IV pole base of claim 1.",
        "1. A liquid crystal display with a rod.\n2. The LCD of claim 1.",
        "1. A portable, light carrying case for a phone.\n2. The case of claim 1.",
        "1. A heating or cooling process with oil.\n2. The process of claim 1.",
        "1. Use of a salt.\n2. The method of claim 1.",
        "",
    ],
)
def test_these_preambles_agree_with_what_they_cite_or_name_a_claim_of_another_kind(text):
    assert mismatches(text) == []


def test_a_long_claim_set_comes_to_an_end():
    many = range(2, tries(1000))
    text = MOTOR + "".join(f"{n}. The lid of any preceding claim.\n" for n in many)
    assert len(mismatches(text)) == len(many)
    assert mismatches("1. The motor" + " of claim 1" * tries(10_000)) == []
