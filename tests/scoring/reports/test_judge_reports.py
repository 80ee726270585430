"""A report with a pairwise judge asks in both orders and says on how many items these agree."""

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.core.management import call_command
from django.test import override_settings

from core.jobs.rows import JobStatus
from patclaimeval.agreement.item_table import DIFFER, SAME, Wanted, choose, unpack
from patclaimeval.metrics.endpoint.prompt import VERDICT
from patclaimeval.rubric import CRITERIA
from scoring import files as scoring_files
from scoring.models import DatasetVersion, MetricScore
from scoring.quadruplets import DatasetRow
from scoring.reports import work as reports_work
from scoring.reports.downloads import report_file
from scoring.reports.scorers import ReportScorer, load_scorer
from scoring.reports.services import cancel_report
from tests.patclaimeval.metrics.endpoint.local_endpoint import (
    KEY,
    LocalEndpoint,
    Received,
    Reply,
    local_endpoint,
    saying,
)
from tests.scoring.asked_reports import carried_out, finished, request
from tests.scoring.conftest import dataset_rows, imported, shown
from tests.scoring.report_rows import words

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

JUDGE, REASONED = "pairwise-judge", "pairwise-judge-reasoned"
COMPARISONS = 18
CANDIDATE = re.compile(
    r"<<<CANDIDATE [12] \w+>>>\n(.*?)\n<<<END OF CANDIDATE [12] \w+>>>", re.DOTALL
)


def candidates(received: Received) -> tuple[str, str]:
    first, second = CANDIDATE.findall(received.texts[1])
    return first, second


def saying_better(received: Received, better: int) -> Reply:
    """Answer that the candidate of that number is better in all, as the prompt wants it."""
    numbers = dict.fromkeys(CRITERIA, better)
    if "Reason before you decide" in received.texts[0]:
        return saying(f"Candidate 1 claims a housing.\n{VERDICT}{json.dumps(numbers)}")
    return saying(numbers)


def by_parts(received: Received, number: int) -> Reply:
    """Prefer the candidate with more parts: what the labels of the small dataset say."""
    first, second = (text.count("connected") for text in candidates(received))
    return saying_better(received, 0 if first == second else 1 if first > second else 2)


def by_place(received: Received, number: int) -> Reply:
    return saying_better(received, 1)


@pytest.fixture
def place(version: DatasetVersion) -> Iterator[LocalEndpoint]:
    with (
        local_endpoint(by_parts) as endpoint,
        override_settings(
            METRIC_ENDPOINT_URL=endpoint.url,
            METRIC_ENDPOINT_MODEL="m-1",
            METRIC_ENDPOINT_KEY=KEY,
            METRIC_ENDPOINT_REQUESTS_PER_MINUTE=60_000,
        ),
    ):
        yield endpoint


def turned(row: DatasetRow) -> DatasetRow:
    y = {key: -value for key, value in row.y.items()}
    return replace(row, b=row.c, c=row.b, b_id=row.c_id, c_id=row.b_id, y=y)


@pytest.mark.parametrize("name", [JUDGE, REASONED])
def test_both_orders_of_each_comparison_are_asked_once_and_agree(version, place, name) -> None:
    result = finished(version, name, "bleu-1")
    asked = [candidates(received) for received in place.received]
    assert len(set(asked)) == len(asked) == 2 * COMPARISONS
    assert {(second, first) for first, second in asked} == set(asked)
    entry = result["scorers"][name]
    assert entry["order_consistency"] == {"value": 1.0, "n": COMPARISONS}
    assert entry["accuracy"]["value"] == entry["tau_b"]["value"] == 1.0
    assert (entry["kind"], entry["unavailable"]) == ("metric", "")
    assert "order_consistency" not in result["scorers"]["bleu-1"]
    # A stored score is of one candidate; the answers are stored by the endpoint's cache.
    assert not MetricScore.objects.filter(scorer__startswith="pairwise").exists()


def test_exchanging_b_and_c_exchanges_the_labels_and_pays_nothing(version, place) -> None:
    first = finished(version, JUDGE)
    paid = len(place.received)
    back = finished(imported("back", [turned(row) for row in dataset_rows()]), JUDGE)
    assert len(place.received) == paid
    one, other = (result["scorers"][JUDGE] for result in (first, back))
    for figure in ("tau_b", "pearson", "accuracy", "order_consistency"):
        assert one[figure] == other[figure]
    table = one["confusion"]["table"]
    assert other["confusion"]["table"] == [line[::-1] for line in table[::-1]]


def test_a_judge_that_names_the_first_one_prefers_nothing_and_is_shown_for_it(
    version, place
) -> None:
    place.answer = by_place
    entry = finished(version, JUDGE, "bleu-1")["scorers"][JUDGE]
    assert entry["order_consistency"] == {"value": 0.0, "n": COMPARISONS}
    assert entry["tie_rates"]["scorer"] == 1.0
    assert entry["tau_b"]["value"] is None


def test_a_judge_that_changes_its_mind_on_some_is_counted(version, place) -> None:
    def answer(received: Received, number: int) -> Reply:
        is_biased = "machine0" in received.texts[1]
        return (by_place if is_biased else by_parts)(received, number)

    place.answer = answer
    row = carried_out(request(version, JUDGE))
    assert row.result is not None
    entry = row.result["scorers"][JUDGE]
    assert entry["order_consistency"] == {"value": pytest.approx(15 / 18), "n": COMPARISONS}
    # The others are the three that the page leads to.
    table = unpack(bytes(row.items.content))
    assert len(choose(table, Wanted(scorer=JUDGE, orders=DIFFER))) == 3
    assert len(choose(table, Wanted(scorer=JUDGE, orders=SAME))) == 15
    # Of the three items of that reference one is a tie for people too.
    assert entry["accuracy"]["value"] == pytest.approx(16 / 18)


def test_an_order_without_a_verdict_leaves_its_item_out_with_the_reason(version, place) -> None:
    spoilt: list[tuple[str, str]] = []

    def answer(received: Received, number: int) -> Reply:
        if not spoilt:
            spoilt.append(candidates(received))
        return saying("no idea") if candidates(received) in spoilt else by_parts(received, number)

    place.answer = answer
    row = carried_out(request(version, JUDGE, "bleu-1"))
    assert row.result is not None
    dropped = row.result["dropped"]
    assert dropped["items"] == 1
    reason = "The answer could not be read: it is not one JSON object."
    assert dropped["scorers"][JUDGE]["reasons"] == {reason: 1}
    assert row.result["scorers"][JUDGE]["order_consistency"]["n"] == COMPARISONS - 1
    # It may pass: the same question may be asked again, and pays for that order alone.
    assert row.question_sha256 == ""
    spoilt[0], paid = ("", ""), len(place.received)
    assert finished(version, JUDGE, "bleu-1")["dropped"]["items"] == 0
    assert len(place.received) == paid + 1


def test_two_requests_for_each_comparison_are_announced_before_any_is_sent(
    version, place, capsys
) -> None:
    options = {"criterion": "feature_completeness", "split": "all", "resamples": 100}
    call_command("agreement_report", "tiny", scorers=JUDGE, json=True, **options)
    host = place.url.split("/")[2]
    said = f"Claims are sent to {host}: {2 * COMPARISONS} requests, roughly"
    assert said in capsys.readouterr().err
    assert len(place.received) == 2 * COMPARISONS
    call_command("agreement_report", "tiny", scorers=f"{JUDGE},bleu-1", **options)
    again = capsys.readouterr()
    assert "Claims are sent" not in again.err
    assert f"{JUDGE}: Prefers the same candidate, or neither, in both orders on 18" in again.out


def test_a_report_that_is_cancelled_while_the_judge_thinks_stops_and_keeps_its_answers(
    version, place, monkeypatch
) -> None:
    monkeypatch.setattr(reports_work, "RENEW_EVERY_SECONDS", 0.0)
    report = request(version, JUDGE, "bleu-1")

    def load(name: str, seed: int, criterion: str) -> ReportScorer:
        scorer = load_scorer(name, seed, criterion)

        def score(pairs: Any, check: Any) -> Any:
            found = scorer.score(pairs, check)
            cancel_report(report=report)
            return found

        return replace(scorer, score=score)

    monkeypatch.setattr(reports_work, "load_scorer", load)
    row = carried_out(report)
    assert (row.status, row.result) == (JobStatus.CANCELLED, None)
    answers = list((scoring_files.cache_directory() / "endpoint").rglob("*.json"))
    assert len(answers) == len(place.received) < 2 * COMPARISONS
    # Three candidates of six references for each of six others, among them those that stand.
    assert row.total == 2 * COMPARISONS + 6 * 18


def test_page_and_files_tell_how_often_both_orders_agree(rita, of_campaign, place) -> None:
    row = carried_out(request(of_campaign, JUDGE, "bleu-1"))
    document = row.result
    assert document is not None
    said = "Prefers the same candidate, or neither, in both orders on 18 of 18 items (100.0 %)."
    page = words(shown(rita, f"/reports/{row.pk}/"))
    assert f'/items/?scorer={JUDGE}&amp;orders=differ">The others</a>' in shown(
        rita, f"/reports/{row.pk}/"
    )
    assert "Order consistency What compares two candidates is asked in both orders." in page
    assert f"Pairwise judge : {said}" in page
    assert f"Pairwise judge : {said}" in words(report_file(document, "html").decode())
    latex = report_file(document, "latex").decode()
    assert re.search(r"Pairwise judge(\})?\$\^\{\d\}\$ &", latex)
    assert r"Pairwise judge: Prefers the same candidate" in latex and r"(100.0 \%)" in latex
    table = csv.DictReader(io.StringIO(report_file(document, "csv").decode(), newline=""))
    column = {(line["scorer"], line["items"]): line["order_consistency"] for line in table}
    assert column[JUDGE, "all"] == "1.0"
    assert [key for key, value in column.items() if value] == [(JUDGE, "all")]
    stored = json.loads(report_file(document, "json"))
    assert stored["scorers"][JUDGE]["order_consistency"] == {"value": 1.0, "n": COMPARISONS}
    assert "order_consistency" in stored["method"]
