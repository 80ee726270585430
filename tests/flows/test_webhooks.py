"""A job of a campaign ends, and its webhook gets it, though the worker is killed on the way."""

from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest

from annotator.models import Campaign, Delivery, ReliabilityReport, User
from core.jobs.rows import JobStatus
from tests.annotator.webhooks.hooks import add, checked
from tests.conftest import signed_in
from tests.flows.conftest import StartWorker, kill_group, swept_until
from tests.flows.programs import wait_until
from tests.served.hook_receiver import CERTIFICATE, receiving

pytestmark = [
    pytest.mark.broker,
    pytest.mark.embedded,
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
]


def test_a_delivery_of_a_killed_worker_arrives_under_its_id_by_the_next(
    demo: None, start_worker: StartWorker, tmp_path: Path, settings: Any
) -> None:
    with receiving(tmp_path, has_certificate=True) as receiver:
        host = f"127.0.0.1:{receiver.port}"
        settings.WEBHOOK_HOSTS = [host]
        settings.WEBHOOK_NETWORKS = [ip_network("127.0.0.0/8")]
        allowed = {
            "WEBHOOK_HOSTS": host,
            "WEBHOOK_NETWORKS": "127.0.0.0/8",
            "SSL_CERT_FILE": str(CERTIFICATE),
        }
        ada = User.objects.get(username="ada")
        campaign = Campaign.objects.get(slug="demo")
        made = add(campaign, ada, f"{receiver.base}/slow-first", "reliability")
        worker = start_worker("web", **allowed)
        assert signed_in(ada).post("/campaigns/demo/reliability/").status_code == 303
        report = ReliabilityReport.objects.get()
        swept_until(report, lambda: report.is_final)
        assert report.status == JobStatus.SUCCEEDED, report.message
        # Written with the end of the job, whatever becomes of the message.
        row = Delivery.objects.get()
        wait_until(lambda: receiver.received, "the first try")
        kill_group(worker)
        row.refresh_from_db()
        assert (row.status, row.attempt) == (JobStatus.RUNNING, 1)
        start_worker("web", **allowed)
        swept_until(row, lambda: row.is_final, 0.5)
        assert (row.status, row.answer, row.attempt) == (JobStatus.SUCCEEDED, "204", 2)
        first, second = (checked(request, made.secret) for request in receiver.received)
        assert first == second
        assert first["id"] == str(row.pk)
        assert (first["event"], first["state"]) == ("reliability", "succeeded")
        assert (first["job"], first["campaign"]) == (str(report.pk), str(campaign.pk))
        page = signed_in(ada).get("/campaigns/demo/webhooks/").content.decode()
        assert "delivered" in page and "2 of 6" in page
