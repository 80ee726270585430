"""Trainings are divided by queue: two hosts with a worker for `gpu` share the five criteria."""

from pathlib import Path

import pytest

from annotator.operations.presences import alive
from annotator.rubric import ALL_CRITERIA
from core.jobs.queues import Queues
from scoring.models import DatasetVersion, TrainingRun
from tests.flows.programs import wait_until
from tests.hosts.conftest import Install
from tests.hosts.installation import Installation, ends
from tests.s3_servers import serving, store_settings

pytestmark = [pytest.mark.broker, pytest.mark.exhaustive, pytest.mark.django_db(transaction=True)]
WORKERS = (("gpu", "worker"), ("web", "second"))


def carried_out(hosts: Installation) -> list[set[str]]:
    """Return which runs each of the workers for `gpu` has begun."""
    keys = {str(pk) for pk in TrainingRun.objects.values_list("pk", flat=True)}
    return [
        {key for key in keys if f"started kind=trainingrun key={key}" in log}
        for log in (hosts.log_of_worker(*place) for place in WORKERS)
    ]


def test_two_hosts_train_five_criteria_between_them(install: Install, tmp_path: Path) -> None:
    with serving("rclone", tmp_path / "s3") as s3:
        hosts = install(store_settings(s3.make_bucket(), s3.url))
        hosts.start_worker("web", "gpu", "second")
        wait_until(lambda: alive()[Queues.GPU] == len(WORKERS), "two workers for gpu")
        split = {"test_share": 0.3, "validation_share": 0.2, "include_unlocked": True}
        hosts.client("ada").freeze(hosts.rated.campaign.slug, **split)
        version = DatasetVersion.objects.get()
        asked = {"version": str(version.pk), "criterion": "all", "recipe": "default"}
        shape = {"margin": "0.2", "tolerance": "0.05", "seed": "0"}
        answer = hosts.tab("rita").post("/runs/", asked | shape)
        assert answer.status in (302, 303), answer.body
        runs = TrainingRun.objects.all()
        assert sorted(run.criterion for run in runs) == sorted(ALL_CRITERIA)
        for run in runs:
            ends(run)
        first, second = carried_out(hosts)
        assert first and second
        assert not first & second
        assert len(first | second) == len(ALL_CRITERIA)
