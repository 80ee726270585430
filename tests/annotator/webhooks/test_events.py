"""What webhooks get, in the transaction of what has happened."""

from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import transaction

from annotator.exports.services import request_export
from annotator.imports.services import carry_out_import, confirm_import, request_import
from annotator.models import (
    Campaign,
    Delivery,
    Rating,
    ReliabilityReport,
)
from annotator.outgoing.posting import body_of
from annotator.reliability.services import carry_out_reliability, request_reliability
from annotator.webhooks import events
from annotator.webhooks.events import announce_settled
from core.clock import database_now
from core.jobs.leases import claim, close
from core.jobs.rows import JobStatus
from scoring.models import Freeze
from tests.annotator.imports.import_files import good
from tests.annotator.webhooks.hooks import add, rate
from tests.conftest import grant

pytestmark = pytest.mark.django_db
URL = "http://127.0.0.1/"


@pytest.fixture(autouse=True)
def allowed(settings) -> None:
    settings.WEBHOOK_HOSTS = ["127.0.0.1"]
    settings.JOB_LEASE_SECONDS = 3600


def queued() -> list[tuple[str, dict[str, Any]]]:
    rows = Delivery.objects.order_by("created_at", "pk")
    return [(row.about, row.content) for row in rows]


def test_a_job_is_announced_as_it_ends_by_its_id_and_state(cast) -> None:
    add(cast.campaign, cast.ada, URL, "reliability")
    add(cast.campaign, cast.ada, URL, "freeze", "settled")
    add(cast.elsewhere, cast.mallory, URL)
    report = request_reliability(campaign=cast.campaign, asked_by=cast.rita)
    assert not queued()
    carry_out_reliability(report.pk)
    ((about, content),) = queued()
    assert about == "reliability"
    assert content.keys() == {"campaign", "at", "job", "state"}
    assert content["job"] == str(report.pk)
    assert content["campaign"] == str(cast.campaign.pk)
    assert content["state"] == "succeeded"


def test_a_job_that_fails_is_announced_without_its_error(cast, monkeypatch) -> None:
    add(cast.campaign, cast.ada, URL)
    report = request_reliability(campaign=cast.campaign, asked_by=cast.rita)
    row = claim(ReliabilityReport, report.pk)
    close(row, JobStatus.FAILED, message="A canary of a claim.")
    ((about, content),) = queued()
    assert (about, content["state"]) == ("reliability", "failed")
    assert b"canary" not in body_of(Delivery.objects.get())


def test_what_is_undone_is_not_announced(cast) -> None:
    add(cast.campaign, cast.ada, URL)
    report = request_reliability(campaign=cast.campaign, asked_by=cast.rita)
    row = claim(ReliabilityReport, report.pk)
    with transaction.atomic():
        close(row, JobStatus.SUCCEEDED)
        assert queued()
        transaction.set_rollback(True)
    assert not queued()


def test_an_import_is_announced_once_it_is_stored_or_refused(cast, tmp_path, settings) -> None:
    settings.DATA_DIR = tmp_path
    add(cast.campaign, cast.ada, URL, "import")
    row = request_import(campaign=cast.campaign, file=BytesIO(good(2)), file_name="a.jsonl")
    carry_out_import(row.pk)
    assert not queued()
    confirm_import(row=row)
    carry_out_import(row.pk)
    bad = request_import(campaign=cast.campaign, file=BytesIO(b"{"), file_name="b.jsonl")
    carry_out_import(bad.pk)
    assert [(content["job"], content["state"]) for _, content in queued()] == [
        (str(row.pk), "succeeded"),
        (str(bad.pk), "failed"),
    ]


def test_an_export_is_announced(cast) -> None:
    add(cast.campaign, cast.ada, URL, "export")
    request_export(campaign=cast.campaign, format="jsonl", asked_by=cast.ada)
    ((about, content),) = queued()
    assert (about, content["state"]) == ("export", "requested")


def test_a_job_of_the_other_package_is_announced_too(cast) -> None:
    add(cast.campaign, cast.ada, URL, "freeze")
    freeze = Freeze.objects.create(campaign=cast.campaign, asked_by=cast.rita, settings={})
    close(claim(Freeze, freeze.pk), JobStatus.SUCCEEDED)
    ((about, content),) = queued()
    assert (about, content["job"]) == ("freeze", str(freeze.pk))


def settle(cast) -> str:
    """Have two rate a candidate of a new reference, and its window close; return its id."""
    reference = cast.reference(f"r{cast.campaign.references.count()}", 1)
    candidate = reference.candidates.get()
    rate(cast, candidate, cast.alice, cast.bob)
    Rating.objects.update(revised_at=database_now() - timedelta(days=3))
    return str(candidate.pk)


def test_candidates_are_announced_once_they_are_settled_and_once_only(cast) -> None:
    before = settle(cast)
    add(cast.campaign, cast.ada, URL, "settled")
    assert announce_settled() == 0
    first, second = settle(cast), settle(cast)
    assert announce_settled() == 2
    ((about, content),) = queued()
    assert about == "settled"
    assert sorted(content["candidates"]) == sorted([first, second])
    assert before not in content["candidates"]
    assert announce_settled() == 0
    call_command("sweep")
    assert len(queued()) == 1


def test_what_is_in_question_again_is_announced_anew(cast) -> None:
    add(cast.campaign, cast.ada, URL, "settled")
    pk = settle(cast)
    announce_settled()
    Rating.objects.update(revised_at=database_now())
    assert announce_settled() == 0
    Rating.objects.update(revised_at=database_now() - timedelta(days=3))
    assert announce_settled() == 1
    assert [content["candidates"] for _, content in queued()] == [[pk], [pk]]


def test_many_are_announced_in_several_deliveries(cast, monkeypatch) -> None:
    monkeypatch.setattr(events, "MOST_CANDIDATES", 2)
    add(cast.campaign, cast.ada, URL, "settled")
    for _ in range(3):
        settle(cast)
    assert announce_settled() == 3
    assert sorted(len(content["candidates"]) for _, content in queued()) == [1, 2]


def test_who_rates_in_the_campaign_is_not_announced_through_their_webhook(cast) -> None:
    """B1, B8: when another's rating is in would show what a count shows."""
    add(cast.campaign, cast.ada, URL, "settled")
    grant(cast.ada, cast.campaign, "annotator")
    settle(cast)
    assert announce_settled() == 0
    Campaign.objects.update(status="closed")
    assert announce_settled() == 1


def test_without_hosts_nothing_is_announced(cast, settings) -> None:
    add(cast.campaign, cast.ada, URL)
    settle(cast)
    settings.WEBHOOK_HOSTS = []
    assert announce_settled() == 0
    request_export(campaign=cast.campaign, format="jsonl", asked_by=cast.ada)
    assert not queued()
