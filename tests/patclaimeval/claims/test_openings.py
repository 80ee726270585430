import pytest

from patclaimeval.claims.openings import opening_of


@pytest.mark.parametrize(
    ("claims", "opening"),
    [
        ("1. A cup with a handle.\n2. The cup of claim 1.", "A cup with a handle."),
        ("What is claimed is:\n1. A cup,\n   glazed.", "A cup, glazed."),
        ("A cup without a number.", "A cup without a number."),
        ("1. A \u202ecup\u200b.", "A cup."),
        ("1. " + "glazed " * 40, "glazed " * 12 + "glazed\N{NO-BREAK SPACE}…"),
        ("1. " + "杯" * 200, "杯" * 90 + "\N{NO-BREAK SPACE}…"),
        ("", ""),
        (" \n", ""),
    ],
)
def test_a_reference_is_named_by_the_opening_of_claim_1(claims: str, opening: str) -> None:
    assert opening_of(claims) == opening
