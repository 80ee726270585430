"""A store that is away, slow or full: jobs wait, are done once, and leave nothing half stored."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.models import ClaimImport, Reference
from clients.patclaimeval_client import ApiError, Client, JobFailed
from core.jobs.rows import JobRow, JobStatus
from scoring.models import (
    AgreementReport,
    DatasetVersion,
    Freeze,
    ModelVersion,
    ScoreRequest,
    TrainingRun,
)
from tests.annotator.imports.import_files import good
from tests.flows.programs import wait_until
from tests.hosts.acts import (
    CANDIDATES,
    N_GRAMS,
    REFERENCE,
    a_large_file,
    promote,
    report,
    scores,
    train,
)
from tests.hosts.conftest import Install
from tests.hosts.installation import CRITERION, REFERENCES, Installation, ends, waits
from tests.s3_servers import Between, OwnS3, serving, store_settings

pytestmark = [
    pytest.mark.broker,
    pytest.mark.slow,
    pytest.mark.exhaustive,
    pytest.mark.django_db(transaction=True),
]


@pytest.fixture(params=["rclone", "moto"])
def s3(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OwnS3]:
    with serving(request.param, tmp_path / "s3") as server:
        yield server


@pytest.fixture
def between(s3: OwnS3) -> Iterator[Between]:
    way = Between(s3)
    yield way
    way.end()


def take_away(s3: OwnS3) -> None:
    """Kill the server; moto, which would forget everything, is silent instead."""
    if s3.kind == "moto":
        s3.freeze()
    else:
        s3.kill()


def bring_back(s3: OwnS3) -> None:
    if s3.kind == "moto":
        s3.thaw()
    else:
        s3.start()


def forget(hosts: Installation, host: str) -> None:
    """Empty the data directory of a host, as one has that was just set up."""
    shutil.rmtree(hosts.data[host])
    hosts.data[host].mkdir(mode=0o700)


def one_of_each(hosts: Installation, version: DatasetVersion) -> dict[str, JobRow]:
    """Ask for a job of each kind that needs a file."""
    client, name = hosts.client("rita"), version.full_name
    asked = {"dataset": name, "criterion": CRITERION}
    client._call("POST", "training-runs/", {**asked, "method": "probe", "seed": 7})
    figures = {"scorers": list(N_GRAMS), "split": "test", "resamples": 100}
    client._call("POST", "reports/", asked | figures)
    client._call("POST", "reports/", asked | figures | {"seed": 3})
    texts = {"reference": REFERENCE, "candidates": list(CANDIDATES), "criteria": [CRITERION]}
    client._call("POST", "score/", texts)
    send(hosts.client("ada"), a_large_file())
    reports = AgreementReport.objects.order_by("created_at")
    return {
        "training": TrainingRun.objects.latest("created_at"),
        "report": reports[0],
        "another report": reports[1],
        "scores": ScoreRequest.objects.get(),
        # Of other content, which no host has made before.
        "freeze": hosts.freeze(name="another", seed="2"),
        "import": ClaimImport.objects.get(),
    }


def send(client: Client, content: bytes) -> None:
    """Send a file to be imported, and wait for nothing."""
    from clients.patclaimeval_client import _form

    client._send("POST", "campaigns/trial/claim-sets/import/", *_form({}, "a.jsonl", content))


def test_jobs_wait_for_a_store_that_is_away_and_each_is_done_once(
    install: Install, s3: OwnS3
) -> None:
    hosts = install(store_settings(s3.make_bucket(), s3.url))
    version = ends(hosts.freeze()).version
    promote(hosts, train(hosts, version))
    for host in ("desk", "gpu"):
        hosts.kill_worker(host)
        forget(hosts, host)
    jobs = one_of_each(hosts, version)
    take_away(s3)
    hosts.start_worker("desk", "web")
    hosts.start_worker("gpu", "gpu")
    for job in jobs.values():
        waits(job, "cannot be reached now")
    with pytest.raises(ApiError) as refused:
        send(hosts.client("ada"), good())
    assert refused.value.status == 503
    assert "cannot be reached now" in str(refused.value)
    assert ClaimImport.objects.count() == 1
    awaited = {f"Of kind {job.kind()}, " for job in jobs.values()}
    awaited |= {"The artefact store s3://", "cannot reach all that it may need: The artefact store"}

    def doctor_names_all() -> bool:
        # One that is tried again at this moment does not wait.
        found = hosts.run("web", "doctor", "--json", is_well=False)
        awaited.difference_update([words for words in awaited if words in found])
        return not awaited

    wait_until(doctor_names_all, "doctor names all that waits")
    line = "1 training queued. Waiting since "
    wait_until(lambda: line in hosts.tab("rita").get("/").body, line)
    dropped = jobs.pop("another report")
    waits(dropped, "cannot be reached now")
    hosts.client("rita")._call("POST", f"reports/{dropped.pk}/cancel/")
    bring_back(s3)
    for job in jobs.values():
        ends(job)
    # Checked and then stored, an import begins anew.
    assert {name: job.attempt for name, job in jobs.items()} == dict.fromkeys(jobs, 1)
    ends(dropped, JobStatus.CANCELLED)
    assert Reference.objects.count() == REFERENCES + 400
    assert (DatasetVersion.objects.count(), ModelVersion.objects.count()) == (2, 2)
    assert Freeze.objects.filter(status=JobStatus.SUCCEEDED).count() == 2
    better, worse = scores(hosts)
    assert better > worse


def test_a_slow_store_slows_everything_and_fails_nothing(
    install: Install, s3: OwnS3, between: Between
) -> None:
    between.delay = 2.0
    hosts = install(store_settings(s3.make_bucket(), between.url))
    imported = hosts.client("ada").import_claims("trial", good())
    assert imported["status"] == "succeeded"
    version = ends(hosts.freeze()).version
    promote(hosts, train(hosts, version))
    assert report(hosts, version, *N_GRAMS).status == JobStatus.SUCCEEDED
    better, worse = scores(hosts)
    assert better > worse


def test_a_full_store_is_told_in_a_sentence_and_leaves_nothing_half(
    install: Install, s3: OwnS3, between: Between
) -> None:
    bucket = s3.make_bucket()
    hosts = install(store_settings(bucket, between.url))
    version = ends(hosts.freeze()).version
    before = s3.keys(bucket), hosts.files("web")
    between.is_full = True
    with pytest.raises(ApiError) as refused:
        send(hosts.client("ada"), good())
    assert (refused.value.status, "has no room" in str(refused.value)) == (507, True)
    assert not ClaimImport.objects.exists()
    freeze = ends(hosts.freeze(name="another"), JobStatus.FAILED)
    with pytest.raises(JobFailed) as failed:
        train(hosts, version)
    for said in (freeze.message, str(failed.value)):
        assert "has no room" in said
    assert (DatasetVersion.objects.count(), ModelVersion.objects.count()) == (1, 0)
    assert (s3.keys(bucket), [one for one in hosts.files("web") if "upload" in one]) == (
        before[0],
        [],
    )
    between.is_full = False
    train(hosts, version)
    ends(hosts.freeze(name="another"))
