"""Two reports, or two scorers, side by side."""

from copy import deepcopy
from typing import Any

import pytest
from django.test import Client

from scoring.models import DatasetVersion
from tests.scoring.report_documents import report_document
from tests.scoring.report_rows import stored, words

pytestmark = [pytest.mark.django_db]


def look(client: Client, status: int = 200, **query: Any) -> str:
    answer = client.get("/reports/compare/", query)
    assert answer.status_code == status
    return answer.content.decode().replace("&#x27;", "'")


def test_two_reports_show_what_they_ask_and_how_their_figures_differ(
    rita: Client,
    of_campaign: DatasetVersion,
) -> None:
    later = report_document()
    later["question"]["split"] = "all"
    later["scorers"]["bleu-1"]["tau_b"]["value"] = 0.25
    del later["scorers"]["rouge-l"]
    a, b = stored(of_campaign, report_document()), stored(of_campaign, later)
    page = words(look(rita, a=a.pk, b=b.pk))
    assert "Split test all differs" in page
    assert "Tie threshold 0.0001 0.0001 same" in page
    assert "0.310 0.11 … 0.51 0.250 0.11 … 0.51 -0.060" in page
    assert "The items are not the same" in page
    assert "Only in the first: rouge-l." in page


def test_reports_that_share_nothing_are_refused(
    rita: Client,
    of_campaign: DatasetVersion,
) -> None:
    other = report_document()
    other["question"] |= {"criterion": "conceptual_clarity", "dataset": "mugs@1"}
    a, b = stored(of_campaign, report_document()), stored(of_campaign, other)
    assert "share neither criterion nor dataset" in look(rita, 422, a=a.pk, b=b.pk)


def test_a_report_is_not_compared_with_itself_or_with_one_out_of_scope(
    rita: Client,
    of_campaign: DatasetVersion,
    cast: Any,
) -> None:
    a = stored(of_campaign, report_document())
    assert "Choose another one than the first." in look(rita, 422, a=a.pk, b=a.pk)
    waiting = stored(of_campaign, None)
    for nothing in (waiting.pk, "nonsense"):
        look(rita, 422, a=a.pk, b=nothing)
        look(rita, 422, a=nothing)


def test_the_first_report_alone_offers_its_scorers(
    rita: Client,
    of_campaign: DatasetVersion,
) -> None:
    a = stored(of_campaign, report_document())
    page = look(rita, a=a.pk)
    assert 'name="first"' in page and '<option value="rouge-l">' in page
    assert '<option value="bertscore">' not in page
    assert 'class="error"' not in page


def test_two_scorers_show_their_test_in_the_order_that_was_asked_for(
    rita: Client,
    of_campaign: DatasetVersion,
) -> None:
    a = stored(of_campaign, report_document())
    page = words(look(rita, a=a.pk, first="bleu-1", second="rouge-l"))
    assert "on the same items: -0.130, 95 % interval -0.230 to -0.030" in page
    assert "bleu-1: worse." in page
    turned = words(look(rita, a=a.pk, first="rouge-l", second="bleu-1"))
    assert "on the same items: 0.130, 95 % interval 0.030 to 0.230" in turned
    assert "rouge-l: better." in turned


def test_two_scorers_show_where_they_disagree(
    rita: Client,
    of_campaign: DatasetVersion,
) -> None:
    document = deepcopy(report_document())
    pair = document["comparisons"]["families"][0]["pairs"][0]
    pair["labels"] = [[15, 4, 2], [3, 9, 1], [5, 0, 21]]
    a = stored(of_campaign, document)
    page = words(look(rita, a=a.pk, first="bleu-1", second="rouge-l"))
    assert "they say the same of 45 of 60 items" in page
    assert "C better 15 4 2 equal 3 9 1" in page
    turned = words(look(rita, a=a.pk, first="rouge-l", second="bleu-1"))
    assert "C better 15 3 5 equal 4 9 0" in turned


def test_two_scorers_that_were_not_tested_say_so(
    rita: Client,
    of_campaign: DatasetVersion,
) -> None:
    a = stored(of_campaign, report_document())
    page = look(rita, a=a.pk, first="majority", second="length")
    assert "holds no test of these two" in page
    assert "Choose another one" in look(rita, 422, a=a.pk, first="length", second="length")
    look(rita, 422, a=a.pk, first="length", second="bertscore")
