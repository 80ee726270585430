"""P12: an import is all or nothing whenever its worker is killed; again, it adds nothing."""

import signal
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from annotator.imports.files import stored_uploads
from annotator.imports.services import carry_out_import, request_import
from annotator.imports.sweeping import sweep_imports
from annotator.models import Campaign, ClaimImport, ImportStage
from core.jobs.registry import sweep
from core.jobs.rows import JobStatus
from tests.amounts import tries
from tests.annotator.imports.import_files import file, good
from tests.crowd import at_once
from tests.promises.harness import SCALE, SERVED, wait_until
from tests.served.programs import run_program
from tests.served.server import served_environment

pytestmark = [pytest.mark.promise("P12"), *SERVED]
# Of the largest files test_claim_files.py kills the import; a job adds its two stages.
REFERENCES = tries(2_500) if SCALE == 1 else 10_000
NOTHING = (0, 0)
WHOLE = (REFERENCES, 2 * REFERENCES)
# Kills while the file is checked, and while it is stored.
EARLY, LATE = (2, 2) if SCALE == 1 else (3, 7)
LEASE_SECONDS = "2"


@pytest.fixture(autouse=True)
def data_dir(settings: Any, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path
    settings.JOB_LEASE_SECONDS = int(LEASE_SECONDS)
    return tmp_path


@pytest.fixture(scope="module")
def content() -> bytes:
    return good(REFERENCES)


def asked(campaign: Campaign, content: bytes) -> ClaimImport:
    return request_import(
        campaign=campaign, file=file(content), file_name="a.jsonl", is_confirmed=True
    )


def worker(row: ClaimImport, data_dir: Path, fatal: int = 0) -> subprocess.CompletedProcess[str]:
    """Have a process of its own carry the import out, and die at a statement."""
    env = served_environment(DATA_DIR=str(data_dir), JOB_LEASE_SECONDS=LEASE_SECONDS)
    return run_program("tests.promises.import_worker", str(row.pk), str(fatal), env=env)


def stored(campaign: Campaign) -> tuple[int, int]:
    return campaign.references.count(), campaign.candidates.count()


def carried_out_by_another(row: ClaimImport) -> ClaimImport:
    """Wait until the lease of the dead worker has run out, and do its work again."""

    def is_over() -> bool:
        carry_out_import(row.pk)
        row.refresh_from_db()
        return row.is_final

    wait_until(is_over, "the import of a dead worker")
    return row


def moments_between(checked: int, closed: int, last: int) -> list[int]:
    """Return statements from the first claim to the last write, most of them while it is stored.

    One is that which closes the import: all claims are written then, and none may be there.
    """
    early = {1 + round(n * (checked - 1) / (EARLY - 1)) for n in range(EARLY)}
    late = {checked + 1 + round(n * (last - checked - 1) / (LATE - 1)) for n in range(LATE)}
    return sorted(early | late | {closed})


def test_a_worker_killed_at_any_moment_leaves_all_or_nothing(
    cast, data_dir, content, tally
) -> None:
    checked, closed, last = map(int, worker(asked(cast.campaign, content), data_dir).stdout.split())
    assert stored(cast.campaign) == WHOLE
    outcomes = set()
    tally.tried(lines=REFERENCES, kills=len(moments_between(checked, closed, last)))
    for fatal in moments_between(checked, closed, last):
        campaign = Campaign.objects.create(slug=f"killed-at-{fatal}", name="Killed")
        row = asked(campaign, content)
        dead = worker(row, data_dir, fatal)
        assert dead.returncode == -signal.SIGKILL, dead.stderr
        row.refresh_from_db()
        assert stored(campaign) == (WHOLE if row.is_final else NOTHING), f"{fatal} of {last}"
        outcomes.add(stored(campaign))
        carried_out_by_another(row)
        assert row.status == JobStatus.SUCCEEDED, row.message
        assert stored(campaign) == WHOLE
    again = asked(campaign, content)
    carry_out_import(again.pk)
    again.refresh_from_db()
    assert again.result["stored"]["references"] == again.result["stored"]["candidates"] == 0
    assert stored(campaign) == WHOLE
    # Both were met, so that neither end of the work was missed.
    assert outcomes == {WHOLE, NOTHING}
    tally.found(lost=0, doubled=0)
    sweep_imports()
    assert list(stored_uploads()) == []


def test_a_file_that_a_dead_worker_left_behind_is_swept(cast, data_dir, monkeypatch) -> None:
    """It died between its commit and the deletion of the file."""
    row = asked(cast.campaign, good(2))
    monkeypatch.setattr("annotator.imports.services.drop_upload_once_committed", lambda _: None)
    carry_out_import(row.pk)
    assert [pk for pk, _ in stored_uploads()] == [row.pk]
    assert sweep_imports() == 1
    assert list(stored_uploads()) == []


def test_two_admins_with_the_same_file_at_once_have_one_effect(cast, content, tally) -> None:
    tally.tried(imports_by_two_at_once=1)
    rows = [asked(cast.campaign, content) for _ in range(2)]
    answers = at_once([partial(carry_out_import, row.pk) for row in rows])
    assert answers == [None, None]
    counts = [row.result["stored"]["references"] for row in ClaimImport.objects.all()]
    assert sorted(counts) == [0, REFERENCES]
    assert stored(cast.campaign) == WHOLE


def test_two_workers_with_the_same_import_have_one_effect(cast, content) -> None:
    row = asked(cast.campaign, content)
    at_once([partial(carry_out_import, row.pk)] * 3)
    row.refresh_from_db()
    assert (row.status, row.stage) == (JobStatus.SUCCEEDED, ImportStage.APPLY), row.message
    assert stored(cast.campaign) == WHOLE


def test_a_worker_that_dies_every_time_is_given_up_and_its_file_is_deleted(cast, data_dir) -> None:
    row = asked(cast.campaign, good(2))
    ClaimImport.objects.filter(pk=row.pk).update(attempt=4)
    assert worker(row, data_dir, 3).returncode == -signal.SIGKILL

    def is_given_up() -> bool:
        sweep()
        row.refresh_from_db()
        return row.is_final

    wait_until(is_given_up, "the sweep gives up")
    assert row.status == JobStatus.FAILED and "Given up" in row.message
    sweep_imports()
    assert list(stored_uploads()) == []
    assert stored(cast.campaign) == NOTHING
