"""Asking for a report: what is offered, what it lacks, and what must be agreed to first."""

import re
from typing import Any

import pytest

from scoring.models import AgreementReport, DatasetVersion
from tests.scoring.model_rows import model_row

pytestmark = [pytest.mark.django_db]


def sent(row: DatasetVersion, **changes: Any) -> dict[str, Any]:
    wish: dict[str, Any] = {"version": str(row.pk), "criterion": "feature_completeness"}
    return wish | {"split": "all", "scorers": ["rouge-1"], "ties": "default"} | changes


def box(page: str, name: str) -> str:
    found = re.search(
        rf'<label><input type="checkbox" name="scorers" value="{name}".*?</label>', page
    )
    assert found, name
    return found[0]


@pytest.fixture
def endpoint(settings: Any) -> None:
    """An endpoint that nothing here may ever reach: a report is asked for, and not carried out."""
    settings.METRIC_ENDPOINT_URL = "https://judge.example/v1"
    settings.METRIC_ENDPOINT_MODEL = "judge-1"
    settings.METRIC_ENDPOINT_PRICE_IN = 2.0


def test_every_scorer_is_offered_and_says_what_it_lacks(rita, of_campaign) -> None:
    model = model_row(of_campaign)
    page = rita.get("/reports/").content.decode()
    prior = box(page, "patclaimeval-0")
    assert "PatClaimEval-0, trained on no label" in prior
    assert "checked" in prior and 'class="lacks"' not in prior
    assert "checked" in box(page, "patclaimeval-left-out")
    assert "checked" in box(page, "meteor") and "lacks" not in box(page, "meteor")
    assert "needs its weights" in box(page, "bertscore")
    assert "needs an endpoint" in box(page, "g-eval")
    assert "checked" not in box(page, "bertscore")
    assert str(model.pk)[:8] in box(page, f"model:{model.pk}")
    assert 'value="length"' not in page


@pytest.mark.parametrize(
    ("changes", "threshold"),
    [
        ({}, 1e-4),
        ({"ties": "paper"}, 1e-6),
        ({"ties": "own", "tie_threshold": "0.25"}, 0.25),
        ({"ties": "paper", "tie_threshold": "0.25"}, 1e-6),
        ({"ties": "", "tie_threshold": "0"}, 0.0),
    ],
)
def test_the_tie_threshold_is_that_of_the_choice(rita, of_campaign, changes, threshold) -> None:
    answer = rita.post("/reports/", sent(of_campaign, **changes))
    row = AgreementReport.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, f"/reports/{row.pk}/")
    assert row.tie_threshold == threshold


@pytest.mark.parametrize(
    ("changes", "field", "said"),
    [
        ({"ties": "own", "tie_threshold": ""}, "tie_threshold", "Give the threshold"),
        ({"ties": "own", "tie_threshold": "-1"}, "tie_threshold", "greater than or equal to 0"),
        ({"ties": "own", "tie_threshold": "nan"}, "tie_threshold", "Enter a number"),
        ({"scorers": []}, "scorers", "Choose at least one scorer."),
        ({"scorers": ["blue"]}, "scorers", "not one of the available choices"),
        ({"version": ""}, "version", "required"),
        ({"split": "sideways"}, "split", "not one of the available choices"),
        ({"criterion": "logical_linkage"}, "split", "has no quadruplet with a label"),
    ],
)
def test_a_mistake_is_told_beside_its_field_and_nothing_typed_is_lost(
    rita, of_campaign, changes, field, said
) -> None:
    wish = {"scorers": ["meteor"], "tie_threshold": "0.125", "split": "train"} | changes
    answer = rita.post("/reports/", sent(of_campaign, **wish))
    page = answer.content.decode()
    assert answer.status_code == 422
    assert not AgreementReport.objects.exists()
    # Who sent it is led to the first mistake.
    assert page.count("autofocus") == 1
    error = re.search(rf'id="id_{field}_error">([^<]*)', page)
    assert error and said in error[1]
    if wish["scorers"] == ["meteor"]:
        assert "checked" in box(page, "meteor") and "checked" not in box(page, "bleu-1")
    if "tie_threshold" not in changes:
        assert 'value="0.125"' in page


def test_the_same_question_leads_to_the_report_that_answers_it(rita, of_campaign) -> None:
    first = rita.post("/reports/", sent(of_campaign))
    second = rita.post("/reports/", sent(of_campaign), follow=True)
    assert AgreementReport.objects.count() == 1
    assert second.redirect_chain[0][0] == first["Location"]
    assert "This report exists already" in second.content.decode()


def test_what_sends_texts_away_tells_its_cost_first_and_waits_for_a_yes(
    rita, of_campaign, endpoint
) -> None:
    wish = sent(of_campaign, scorers=["rouge-1", "g-eval"])
    answer = rita.post("/reports/", wish)
    page = answer.content.decode()
    assert answer.status_code == 422 and not AgreementReport.objects.exists()
    assert "Claims are sent to judge.example" in page
    assert "Tick the box if the claim sets may leave, or take away G-Eval." in page
    assert "checked" in box(page, "g-eval")
    cost = re.search('name="cost_seen" value="([^"]+)"', page)
    assert cost is not None
    agreed = {"may_send": "on", "cost_seen": cost[1]}
    assert rita.post("/reports/", wish | agreed).status_code == 302
    assert AgreementReport.objects.get().scorers == ["rouge-1", "g-eval"]


def test_a_yes_to_another_cost_is_no_yes(rita, of_campaign, endpoint) -> None:
    wish = sent(of_campaign, scorers=["g-eval"], may_send="on", cost_seen="Nothing at all.")
    page = rita.post("/reports/", wish).content.decode()
    assert "is another thing now" in page
    wish.pop("cost_seen")
    assert "Tick the box" in rita.post("/reports/", wish).content.decode()
    assert not AgreementReport.objects.exists()


def test_without_an_endpoint_the_report_is_made_for_a_researcher_alone(
    rita, ada, of_campaign
) -> None:
    wish = sent(of_campaign, scorers=["rouge-1", "g-eval"])
    assert rita.post("/reports/", wish).status_code == 302
    assert ada.post("/reports/", wish).status_code == 403
