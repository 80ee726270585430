"""A report that names a language model's metric asks the site's endpoint, once per claim set."""

import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import override_settings

from annotator.models import AuditEvent
from core.jobs.rows import JobStatus
from patclaimeval.metrics.llmscore import DIMENSIONS
from patclaimeval.rubric import CRITERIA
from scoring import files as scoring_files
from scoring.models import DatasetVersion, MetricScore
from tests.patclaimeval.metrics.endpoint.local_endpoint import (
    KEY,
    LocalEndpoint,
    Received,
    Reply,
    local_endpoint,
    saying,
)
from tests.scoring.asked_reports import carried_out, finished, request
from tests.scoring.conftest import dataset_rows, imported

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

SCORES = {"g-eval": CRITERIA, "llmscore": tuple(DIMENSIONS)}


def by_length(received: Received, number: int) -> Reply:
    """Answer with numbers that follow from the texts: each criterion in an order of its own."""
    length = len(received.texts[1])
    if "language_style" in received.texts[0]:
        return saying(dict.fromkeys(DIMENSIONS, 1 + length % 10))
    return saying({key: (length * (place + 1)) % 101 for place, key in enumerate(CRITERIA)})


@pytest.fixture
def place(version: DatasetVersion) -> Iterator[LocalEndpoint]:
    with (
        local_endpoint(by_length) as endpoint,
        override_settings(
            METRIC_ENDPOINT_URL=endpoint.url,
            METRIC_ENDPOINT_MODEL="m-1",
            METRIC_ENDPOINT_KEY=KEY,
            METRIC_ENDPOINT_REQUESTS_PER_MINUTE=60_000,
        ),
    ):
        yield endpoint


def kept_answers() -> list[Path]:
    return sorted((scoring_files.cache_directory() / "endpoint").rglob("*.json"))


def test_both_metrics_get_figures_from_one_question_per_claim_set(version, place) -> None:
    result = finished(version, "g-eval", "llmscore", "bleu-1")
    for name in SCORES:
        entry = result["scorers"][name]
        assert entry["unavailable"] == ""
        assert entry["tau_b"]["value"] is not None
        assert "m-1 at 127.0.0.1" in entry["version"]
    asked = [tuple(received.texts) for received in place.received]
    assert len(asked) == len(set(asked)) == len(kept_answers())


def test_every_criterion_has_its_own_scores_and_is_paid_with_the_first(place) -> None:
    rows = [replace(row, y={**row.y, "logical_linkage": 1}) for row in dataset_rows()]
    both = imported("both", rows)
    first = finished(both, "g-eval")
    paid = len(place.received)
    second = finished(both, "g-eval", criterion="logical_linkage")
    assert len(place.received) == paid
    assert first["scorers"]["g-eval"]["version"].endswith("feature_completeness")
    assert second["scorers"]["g-eval"]["version"].endswith("logical_linkage")
    assert MetricScore.objects.filter(scorer__startswith="g-eval").count() == 2 * paid


def test_a_report_that_names_neither_sends_nothing(version, place) -> None:
    finished(version, "bleu-1")
    assert place.received == []


def test_the_command_says_what_is_sent_before_it_is(version, place, capsys) -> None:
    options = {"criterion": "feature_completeness", "split": "all", "resamples": 100}
    call_command("agreement_report", "tiny", scorers="g-eval", json=True, **options)
    told = capsys.readouterr()
    paid = len(place.received)
    assert f"Claims are sent to {place.url.split('/')[2]}: {paid} requests, roughly" in told.err
    assert KEY not in told.err + told.out
    call_command("agreement_report", "tiny", scorers="g-eval,bleu-1", json=True, **options)
    assert "Claims are sent" not in capsys.readouterr().err
    assert len(place.received) == paid


def test_without_an_endpoint_the_row_says_what_to_set(version) -> None:
    result = finished(version, "g-eval", "llmscore")
    for name in SCORES:
        assert result["scorers"][name]["unavailable"].startswith(
            f"{name} needs an endpoint: set METRIC_ENDPOINT_URL"
        )


def test_a_key_that_is_refused_is_a_row_and_costs_one_question(version, place) -> None:
    place.answer = lambda received, number: Reply(status=401)
    result = finished(version, "g-eval", "bleu-1")
    assert "refused the key (401)" in result["scorers"]["g-eval"]["unavailable"]
    assert result["scorers"]["bleu-1"]["tau_b"]["value"] is not None
    assert len(place.received) == 1
    # The key is mended: asked again, the same question gets its figures.
    place.answer = by_length
    assert finished(version, "g-eval", "bleu-1")["scorers"]["g-eval"]["unavailable"] == ""


def test_a_killed_report_goes_on_without_paying_twice(version, place) -> None:
    place.answer = lambda received, number: (
        Reply(status=403) if number == 5 else by_length(received, number)
    )
    finished(version, "g-eval")
    assert len(kept_answers()) == 5
    place.answer = by_length
    finished(version, "g-eval")
    asked = [tuple(received.texts) for received in place.received]
    assert len(asked) == len(set(asked)) + 1


def test_a_claim_set_that_gets_nonsense_is_told_by_item(version, place) -> None:
    spoilt: list[str] = []

    def answer(received: Received, number: int) -> Reply:
        if not spoilt:
            spoilt.append(received.texts[1])
        return saying("no idea") if received.texts[1] == spoilt[0] else by_length(received, number)

    place.answer = answer
    dropped = finished(version, "g-eval", "bleu-1")["dropped"]
    assert dropped["items"] >= 1
    reasons = dropped["scorers"]["g-eval"]["reasons"]
    assert list(reasons) == ["The answer could not be read: it is not one JSON object."]


def test_neither_the_key_nor_claims_stand_in_the_report_the_log_or_the_audit_trail(
    version, place, caplog
) -> None:
    def answer(received: Received, number: int) -> Reply:
        body = json.dumps(received.texts).encode()
        return Reply(status=500, body=body) if number == 0 else by_length(received, number)

    place.answer = answer
    with caplog.at_level(logging.DEBUG):
        row = carried_out(request(version, "g-eval", "llmscore"))
    assert row.status == JobStatus.SUCCEEDED
    told: list[Any] = [row.result, row.message]
    told += [event.details for event in AuditEvent.objects.all()]
    told += [record.getMessage() for record in caplog.records]
    told += [path.read_text() for path in kept_answers()]
    text = json.dumps(told)
    assert KEY not in text
    claims = place.received[0].texts[1].split("\n")[1]
    assert len(claims) > 10
    assert claims not in text
