"""Agreement reports are refused early, and the same question is one row."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from uuid import UUID

import pytest
from django.db import connection

from annotator.models import AuditEvent, Campaign, User
from core.errors import Forbidden, OutOfDate, Refused, TooOften
from core.jobs.rows import JobStatus
from scoring.models import AgreementReport
from scoring.reports import scorers
from scoring.reports import services as reports_services
from scoring.reports.services import ask_for_report, cancel_report
from tests.conftest import grant, make_user
from tests.scoring.asked_reports import CRITERION, carried_out, count_calls, make_model, request
from tests.scoring.conftest import imported

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture
def rita(db: None) -> User:
    return make_user("rita")


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"criterion": "novelty"}, "criterion"),
        ({"split": "dev"}, "split"),
        *(({"tie_threshold": float(value)}, "tie_threshold") for value in (-1, "nan", "inf")),
        *(({"resamples": value}, "resamples") for value in (99, 10_001)),
        *(({"seed": value}, "seed") for value in (-1, 2**32)),
        ({"scorers": []}, "scorers"),
        *(({"scorers": [name]}, "scorers") for name in ("bleu-9", "majority", "model:7")),
        ({"scorers": [f"model:{UUID(int=7)}"]}, "scorers"),
        ({"criterion": "overall_quality"}, "split"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused_by_its_field(version, wrong, field) -> None:
    asked = {"criterion": CRITERION, "scorers": ["bleu-1"], "split": "all"} | wrong
    with pytest.raises(Refused) as caught:
        ask_for_report(version=version, **asked)
    assert set(caught.value.fields) == {field}
    assert not AgreementReport.objects.exists()


def test_an_empty_split_is_refused_before_queueing(version, rows) -> None:
    with pytest.raises(Refused, match=r"t@1 has no quadruplet .* in the split test"):
        request(imported("t", rows(6)[:12]), "bleu-1", split="test")
    assert not AgreementReport.objects.exists()


def test_too_many_scorers_are_refused(version, monkeypatch) -> None:
    monkeypatch.setattr(reports_services, "MOST_SCORERS", 2)
    with pytest.raises(Refused) as caught:
        request(version, "bleu-1", "bleu-4", "meteor")
    assert set(caught.value.fields) == {"scorers"}
    assert request(version, "bleu-1", "bleu-4", "bleu-1").scorers == ["bleu-1", "bleu-4"]


def test_a_model_of_another_criterion_is_refused(version) -> None:
    model = make_model(version, "logical_linkage")
    with pytest.raises(Refused, match="scores logical_linkage, and this report is on feature"):
        request(version, f"model:{model.pk}")
    assert not AgreementReport.objects.exists()


def test_the_same_question_is_one_row_as_long_as_it_stands(version, rita) -> None:
    asked = {"version": version, "criterion": CRITERION, "split": "all"}
    first = ask_for_report(**asked, scorers=["length", "length"])
    again = ask_for_report(**asked, scorers=["length"], requested_by=rita)
    assert (first.is_new, again.is_new) == (True, False)
    assert again.report == first.report
    carried_out(first.report)
    assert request(version, "length", resamples=1000) == first.report
    assert AuditEvent.objects.filter(action="report.requested").count() == 1


@pytest.mark.parametrize(
    ("names", "more"),
    [
        *((("length", "bleu-1"), more) for more in ({"split": "train"}, {"tie_threshold": 1e-6})),
        *((("length", "bleu-1"), more) for more in ({"seed": 1}, {"resamples": 101})),
        (("bleu-1", "length"), {}),
        (("length",), {}),
    ],
)
def test_another_question_is_another_row(version, names, more) -> None:
    first, second = request(version, "length", "bleu-1"), request(version, *names, **more)
    assert second.pk != first.pk
    assert second.question_sha256 != first.question_sha256


def test_another_version_of_a_scorer_makes_another_question(version, monkeypatch) -> None:
    first = request(version, "length")
    real = scorers.describe_version
    monkeypatch.setattr(reports_services, "describe_version", lambda *asked: f"{real(*asked)}!")
    assert request(version, "length").pk != first.pk


@pytest.mark.parametrize(
    "end",
    [
        {"status": JobStatus.FAILED},
        {"status": JobStatus.CANCELLED},
        {"status": JobStatus.RUNNING, "cancel_requested": True},
    ],
)
def test_a_report_that_came_or_will_come_to_nothing_may_be_asked_again(version, end) -> None:
    first = request(version, "length")
    AgreementReport.objects.update(**end)
    assert request(version, "length").pk != first.pk


def test_reports_of_equal_datasets_are_kept_apart(version, rows) -> None:
    twin = imported("twin", rows())
    assert twin.sha256 == version.sha256
    assert request(twin, "length").pk != request(version, "length").pk


@pytest.mark.django_db(transaction=True)
def test_two_who_ask_at_one_moment_get_one_row(version, monkeypatch) -> None:
    """Both have looked for a twin, and found none, before either stores its row."""
    both_looked = Barrier(2, timeout=20)
    look = reports_services._twin
    seen: list[AgreementReport | None] = []

    def looking(report: AgreementReport) -> AgreementReport | None:
        found = look(report)
        if len(seen) < 2:
            seen.append(found)
            both_looked.wait()
        return found

    def ask(_: int) -> UUID:
        try:
            return request(version, "length").pk
        finally:
            connection.close()

    monkeypatch.setattr(reports_services, "_twin", looking)
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(ask, range(2)))
    assert seen == [None, None]
    assert found[0] == found[1]
    assert AgreementReport.objects.count() == 1


def test_one_person_queues_so_many_and_no_more(version, rita, monkeypatch) -> None:
    monkeypatch.setattr(reports_services, "MOST_UNFINISHED", 2)
    first = request(version, "length", requested_by=rita)
    request(version, "length", seed=1, requested_by=rita)
    with pytest.raises(TooOften, match="2 of your reports wait"):
        request(version, "length", seed=2, requested_by=rita)
    # What is there already is no further one.
    assert request(version, "length", requested_by=rita) == first
    cancel_report(report=first, cancelled_by=rita)
    assert request(version, "length", seed=2, requested_by=rita).requested_by == rita


def test_who_rates_in_the_open_campaign_gets_no_report(cast, of_campaign) -> None:
    grant(cast.rita, cast.campaign, "annotator")
    with pytest.raises(Forbidden, match="withheld from who rates"):
        request(of_campaign, "length", requested_by=cast.rita)
    Campaign.objects.update(status="closed")
    of_campaign.refresh_from_db()
    assert request(of_campaign, "length", requested_by=cast.rita).has_systems


def test_systems_are_told_of_closed_campaigns_only(cast, version) -> None:
    assert not request(version, "length").has_systems
    version.dataset.campaign = cast.campaign
    version.dataset.save()
    hidden = request(version, "length", seed=1)
    Campaign.objects.update(status="closed")
    version.refresh_from_db()
    shown = request(version, "length", seed=1)
    assert (hidden.has_systems, shown.has_systems) == (False, True)
    assert hidden.pk != shown.pk


def test_a_model_and_what_needs_weights_wait_for_the_neural_queue(version, monkeypatch) -> None:
    assert not request(version, "length", "bertscore").is_neural  # no weights: a row that says so
    assert request(version, f"model:{make_model(version).pk}").is_neural
    monkeypatch.setattr(scorers, "what_is_missing", lambda name, places: "")
    monkeypatch.setattr(reports_services, "describe_version", lambda *asked: "1")
    assert request(version, "length", "bertscore").is_neural


def test_a_cancelled_report_is_not_computed(version, monkeypatch) -> None:
    calls = count_calls(monkeypatch)
    report = request(version, "bleu-1")
    cancel_report(report=report)
    assert carried_out(report).status == JobStatus.CANCELLED
    assert calls == []
    with pytest.raises(OutOfDate):
        cancel_report(report=report)
