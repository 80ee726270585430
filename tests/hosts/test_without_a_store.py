"""Hosts with data directories of their own and no store: jobs wait for files, and none fails."""

import shutil
from dataclasses import asdict

import pytest

from scoring.models import ModelVersion, TrainingRun
from scoring.patclaimeval.config import TrainingSettings
from tests.flows.programs import wait_until
from tests.hosts.conftest import Install
from tests.hosts.installation import CRITERION, ends, waits

pytestmark = [
    pytest.mark.broker,
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
]


@pytest.mark.exhaustive
def test_a_job_waits_until_its_files_are_there_and_doctor_says_what_to_do(install: Install) -> None:
    hosts = install()
    version = ends(hosts.freeze()).version
    hosts.kill_worker("gpu")
    hosts.start_worker("gpu", "gpu")
    told = "cannot reach all that jobs may need: The files of 1 dataset version are not in its"
    wait_until(lambda: told in hosts.log_of_worker("gpu"), told)
    # Who asks for one is refused on a web host without the file; so this one is not asked for.
    settings = asdict(TrainingSettings(criterion=CRITERION, method="probe"))
    run = TrainingRun.objects.create(
        dataset_version=version, criterion=CRITERION, settings=settings
    )
    waits(run, f"The dataset file {version.sha256}.jsonl is missing")
    assert run.attempt == 0
    found = hosts.run("web", "doctor", "--json", is_well=False)
    assert f"The dataset file {version.sha256}.jsonl is missing" in found
    assert "Programs work in 3 data directories" in found
    shutil.copytree(
        hosts.data["desk"] / "datasets", hosts.data["gpu"] / "datasets", dirs_exist_ok=True
    )
    ends(run)
    assert ModelVersion.objects.get().run == run == TrainingRun.objects.get()
