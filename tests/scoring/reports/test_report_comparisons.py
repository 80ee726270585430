"""Two reports, or two scorers, side by side."""

import pytest
from django.test import Client

from tests.scoring.conftest import shown
from tests.scoring.report_documents import report_document
from tests.scoring.report_rows import stored, words

pytestmark = [pytest.mark.django_db]


def look(client: Client, status: int = 200, **query: object) -> str:
    return shown(client, "/reports/compare/", status, **query).replace("&#x27;", "'")


def test_two_reports_tell_what_they_ask_and_how_their_figures_differ(
    rita, of_campaign, report
) -> None:
    later = report_document()
    later["question"]["split"] = "all"
    later["scorers"]["bleu-1"]["tau_b"]["value"] = 0.25
    del later["scorers"]["rouge-l"]
    page = words(look(rita, a=report.pk, b=stored(of_campaign, later).pk))
    assert "Split test all differs" in page
    assert "Tie threshold 0.0001 0.0001 same" in page
    assert "0.310 0.11 … 0.51 0.250 0.11 … 0.51 -0.060" in page
    assert "The items are not the same" in page
    assert "Only in the first: rouge-l." in page


def test_what_cannot_be_compared_is_refused(rita, of_campaign, report) -> None:
    other = report_document()
    other["question"] |= {"criterion": "conceptual_clarity", "dataset": "mugs@1"}
    page = look(rita, 422, a=report.pk, b=stored(of_campaign, other).pk)
    assert "share neither criterion nor dataset" in page
    assert "Choose another one than the first." in look(rita, 422, a=report.pk, b=report.pk)
    for nothing in (stored(of_campaign, None).pk, "nonsense"):
        look(rita, 422, a=report.pk, b=nothing)
        look(rita, 422, a=nothing)


def test_the_first_report_alone_offers_its_scorers(rita, report) -> None:
    page = look(rita, a=report.pk)
    assert 'name="first"' in page and '<option value="rouge-l">' in page
    assert '<option value="bertscore">' not in page
    assert 'class="error"' not in page


def test_two_scorers_tell_test_and_disagreement_in_the_order_that_was_asked_for(
    rita, of_campaign
) -> None:
    document = report_document()
    pair = document["comparisons"]["families"][0]["pairs"][0]
    pair["labels"] = [[15, 4, 2], [3, 9, 1], [5, 0, 21]]
    row = stored(of_campaign, document)
    page = words(look(rita, a=row.pk, first="bleu-1", second="rouge-l"))
    assert "on the same items: -0.130, 95 % interval -0.230 to -0.030" in page
    assert "bleu-1: worse." in page
    assert "they agree on 45 of 60 items" in page
    assert "C better 15 4 2 equal 3 9 1" in page
    turned = words(look(rita, a=row.pk, first="rouge-l", second="bleu-1"))
    assert "on the same items: 0.130, 95 % interval 0.030 to 0.230" in turned
    assert "rouge-l: better." in turned
    assert "C better 15 3 5 equal 4 9 0" in turned


def test_two_scorers_that_were_not_tested_say_so(rita, report) -> None:
    page = look(rita, a=report.pk, first="majority", second="length")
    assert "holds no test of these two" in page
    page = look(rita, 422, a=report.pk, first="length", second="length")
    assert "Choose another one" in page
    look(rita, 422, a=report.pk, first="length", second="bertscore")
