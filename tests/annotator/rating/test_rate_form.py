"""The form as the template gets it."""

from annotator.rating.page import overall_context, page_context
from annotator.rating.queries import rate_page
from annotator.rubric import CRITERIA


def test_the_overall_needs_all_four() -> None:
    assert overall_context({})["missing"] == 4
    whole = overall_context(dict(zip(CRITERIA, (10, 10, 10, 10), strict=True)))
    assert whole == {"overall": "10.00", "overall_band": "Excellent.", "missing": 0}


def test_a_new_page_puts_the_focus_on_one_button_only(cast) -> None:
    row = cast.assign(cast.alice, cast.reference())[0]
    page = rate_page(cast.alice, row.pk)
    assert page is not None
    scales = page_context(page)["scales"]
    focused = [
        (scale.key, int(choice.value))
        for scale in scales
        for choice in scale.choices
        if choice.takes_focus
    ]
    assert focused == [(CRITERIA[0], 0)]
