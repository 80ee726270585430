"""The form of the what-if page."""

import pytest
from django.http import QueryDict

from annotator.adjudication.what_if.forms import what_if_form
from annotator.adjudication.what_if.queries import rules_of
from annotator.conflicts.rules import ConflictRules
from annotator.models import Campaign


@pytest.mark.parametrize("numerator", range(1, 111))
def test_todays_rules_come_through_the_form_unchanged(numerator: int) -> None:
    campaign = Campaign(
        overall_gap_numerator=numerator, flip_gap_numerator=111 - numerator, has_ladder=True
    )
    form = what_if_form(campaign, QueryDict())
    assert form.is_valid()
    assert form.rules == rules_of(campaign)


def test_what_the_address_leaves_out_is_as_today() -> None:
    form = what_if_form(Campaign(), QueryDict("overall_gap=1.5&ladder=on"))
    assert form.is_valid()
    assert form.rules == ConflictRules(3, 17, 11, has_ladder=True)


@pytest.mark.parametrize(
    "wrong",
    [
        *("criterion_gap=0", "criterion_gap=11", "criterion_gap=2.5", "criterion_gap="),
        *("criterion_gap=%00", f"criterion_gap={'9' * 5000}", f"overall_gap={'9' * 200_000}"),
        *("overall_gap=0", "overall_gap=10.01", "overall_gap=NaN", "overall_gap=1e-9"),
        *("flip_gap=-1", "flip_gap=Infinity", "flip_gap=%5B1%5D", "ladder=maybe", "ladder="),
    ],
    ids=lambda wrong: wrong[:24],
)
def test_a_gap_that_is_none_is_refused_at_its_field(wrong: str) -> None:
    form = what_if_form(Campaign(), QueryDict(wrong))
    assert not form.is_valid()
    assert list(form.errors) == [wrong.partition("=")[0]]
