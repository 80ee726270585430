"""Enter presses the first submit button of a form in the document: it must be the plain submit."""

from html.parser import HTMLParser
from itertools import combinations

from annotator.adjudication.rounds import take_turn
from annotator.comparisons.drafts import save_comparison_draft
from annotator.comparisons.services import assign_comparisons
from annotator.models import Conflict
from annotator.rating.calibration.queries import EXAMPLES
from annotator.rating.calibration.services import add_examples, switch_calibration
from tests.conftest import Cast, signed_in


class _Buttons(HTMLParser):
    """Gathers the submit buttons by the id of the form that they belong to, in document order."""

    def __init__(self) -> None:
        super().__init__()
        self.inside = ""
        self.by_form: dict[str, list[dict[str, str]]] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.inside = given.get("id", "")
        elif tag == "button" and given.get("type", "submit") == "submit":
            self.by_form.setdefault(given.get("form", self.inside), []).append(given)

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.inside = ""


def test_the_first_button_of_a_form_of_scores_submits_it(cast: Cast) -> None:
    reference = cast.reference("r1", 3)
    candidates = list(reference.candidates.all())
    for person, scores in ((cast.alice, [2] * 4), (cast.bob, [9] * 4)):
        rows = {row.candidate_id: row for row in cast.assign(person, reference)}
        cast.submit(rows[candidates[0].pk], scores)
    open_row = cast.assign(cast.alice, cast.reference("r2", 1))[0]
    (comparison,) = assign_comparisons(
        campaign=cast.campaign, annotator=cast.bob, pairs=list(combinations(candidates, 2))[:1]
    )
    # A draft brings a button that discards it to the top of the form.
    save_comparison_draft(
        comparison_id=comparison.pk, typed={"comment": "half"}, version=0, preference_version=0
    )
    (item,) = add_examples(campaign=cast.campaign, keys=[*EXAMPLES][:1], by=cast.ada)
    switch_calibration(campaign=cast.campaign, is_on=True, by=cast.ada)
    conflict = Conflict.objects.first()
    assert conflict
    take_turn(conflict_id=conflict.pk, adjudicator=cast.carol)
    pages = (
        (cast.alice, f"/rate/{open_row.pk}/", "rating-form"),
        (cast.bob, f"/calibrate/{item.pk}/", "rating-form"),
        (cast.bob, f"/compare/{comparison.pk}/", "compare-form"),
        (cast.carol, f"/adjudication/{conflict.pk}/", "ruling"),
    )
    for person, path, form in pages:
        answer = signed_in(person).get(path)
        assert answer.status_code == 200, path
        parser = _Buttons()
        parser.feed(answer.content.decode())
        first = parser.by_form[form][0]
        assert not {"formaction", "name", "disabled"} & set(first), path
