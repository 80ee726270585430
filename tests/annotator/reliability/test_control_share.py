"""Where an order was chosen, agreement is measured on what no choice put forward."""

from random import Random
from typing import Any

import pytest

from annotator.models import Candidate, Reference, ReliabilityReport
from annotator.records import CHOSEN, given_preferences, given_ratings, inputs_of
from annotator.reliability.services import carry_out_reliability, request_reliability
from tests.annotator.rating_rows import prefer, rate
from tests.conftest import signed_in

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def agreeing(cast: Any, candidate: Candidate, chance: Random) -> None:
    level = chance.randrange(11)
    scores = (level, level, level, level)
    for person in (cast.alice, cast.bob):
        rate(person, candidate, scores)


def disagreeing(cast: Any, candidate: Candidate) -> None:
    rate(cast.alice, candidate, (0, 0, 0, 0))
    rate(cast.bob, candidate, (10, 10, 10, 10))


@pytest.fixture
def references(cast) -> list[Reference]:
    """Twelve references on which both agree, and six more on which they never do."""
    chance = Random(4)
    rows = [cast.reference(f"r{number:02}", 2) for number in range(18)]
    for place, row in enumerate(rows):
        one, two = row.candidates.order_by("candidate_id")
        for candidate in (one, two):
            if place < 12:
                agreeing(cast, candidate, chance)
            else:
                disagreeing(cast, candidate)
        prefer(cast.alice, one, two, overall_quality=1)
        prefer(cast.bob, one, two, overall_quality=1 if place < 12 else -1)
    return rows


def result_of(cast: Any) -> dict[str, Any]:
    row = request_reliability(campaign=cast.campaign, asked_by=cast.ada)
    carry_out_reliability(row.pk)
    found = ReliabilityReport.objects.get(pk=row.pk).result
    assert isinstance(found, dict)
    return found


def figures(result: dict[str, Any]) -> list[Any]:
    entries = [*result["criteria"], *result["preferences"]["criteria"]]
    return [figure for entry in entries for figure in entry["figures"]]


def chosen(references: list[Reference], is_control: bool | None) -> None:
    Reference.objects.filter(pk__in=[row.pk for row in references]).update(is_control=is_control)


def test_figures_are_those_of_the_control_share_alone(cast, references) -> None:
    """The planted fault: what was chosen is what nobody agrees on."""
    everything = result_of(cast)
    chosen(references[:12], True)
    chosen(references[12:], False)
    found = result_of(cast)
    assert found["counts"]["references"] == 12
    left_out = {entry["reason"]: entry["n"] for entry in found["counts"]["left_out"]}
    assert left_out == {CHOSEN: 24, f"preferences {CHOSEN}": 12}
    assert found["preferences"]["n"] == 24
    assert figures(everything) != figures(found)
    alpha = next(one for one in found["criteria"][0]["figures"] if one["key"] == "alpha_interval")
    assert alpha["value"] == 1.0


def test_what_was_begun_before_anything_was_drawn_counts(cast, references) -> None:
    chosen(references[:3], None)
    chosen(references[3:12], True)
    chosen(references[12:], False)
    assert len({row.reference for row in given_ratings(cast.campaign).rows}) == 12
    assert given_preferences(cast.campaign).chosen == 12


def test_a_draw_asks_for_new_figures_and_none_finds_the_old_ones(cast, references) -> None:
    before = inputs_of(cast.campaign).sha256
    chosen(references[:3], True)
    assert inputs_of(cast.campaign).sha256 == before
    chosen(references[3:], False)
    assert inputs_of(cast.campaign).sha256 != before
    chosen(references, None)
    assert inputs_of(cast.campaign).sha256 == before


def test_the_page_says_on_how_many_references_its_figures_rest(cast, references) -> None:
    result_of(cast)
    client = signed_in(cast.ada)
    page = "/campaigns/cups/reliability/"
    assert "chose what was rated first" not in client.get(page).content.decode()
    chosen(references[:12], True)
    chosen(references[12:], False)
    result_of(cast)
    html = client.get(page).content.decode()
    assert "All figures here rest on 12 references that no choice put forward" in html
    assert f"24 {CHOSEN}" in html
