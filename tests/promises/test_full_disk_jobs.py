"""P14: jobs and exports that meet a full disk report it, leave nothing behind, and work again."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import pytest
from django.core.management import call_command

from annotator.exports import services as exports_services
from core.jobs.rows import JobRow, JobStatus
from patclaimeval import files as core_files
from scoring.datasets.freezing.services import carry_out_freeze, request_freeze
from scoring.models import DatasetVersion, ModelVersion
from scoring.training.runs.services import request_training
from scoring.training.runs.work import carry_out_training
from tests.promises.small_disks import fill, small_disk
from tests.scoring.conftest import RatedCampaign, make_campaign, tiny_encoder  # noqa: F401 - fixture
from tests.scoring.datasets.test_freezes import SETTINGS
from tests.soak.tally import Tally

pytestmark = [pytest.mark.promise("P14"), pytest.mark.slow, pytest.mark.django_db]
SIZE_MB: Final = 16
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def disk(settings: Any) -> Iterator[Path]:
    with small_disk(SIZE_MB) as place:
        settings.DATA_DIR = place / "var"
        settings.DATA_DIR.mkdir()
        settings.JOB_LEASE_SECONDS = 3600
        settings.TRAINING_STATE_SECONDS = 0
        yield place


@pytest.fixture
def scene(disk: Path) -> RatedCampaign:
    scene = make_campaign(6)
    scene.rate_all(range(6))
    return scene


def ended(row: JobRow, carry_out: Any) -> JobRow:
    """Carry a job out; a worker goes on after what it raises."""
    with suppress(OSError):
        carry_out(row.pk)
    row.refresh_from_db()
    return row


def assert_failed_as_full(row: JobRow) -> None:
    assert row.status == JobStatus.FAILED
    assert "disk is full" in row.message, row.message


def files(disk: Path) -> set[str]:
    return {
        path.relative_to(disk).as_posix()
        for folder in ("datasets", "models", "runs")
        for path in (disk / "var" / folder).rglob("*")
        if path.is_file()
    }


@pytest.mark.exhaustive
def test_a_freeze_and_a_training_on_a_full_disk_report_it_leave_nothing_and_succeed_later(
    scene: RatedCampaign,
    disk: Path,
    tiny_encoder: Path,  # noqa: F811
    tally: Tally,
) -> None:
    tally.tried(jobs_on_a_full_disk=2)
    filler = fill(disk)
    assert_failed_as_full(
        ended(request_freeze(campaign=scene.campaign, settings=SETTINGS), carry_out_freeze)
    )
    assert not DatasetVersion.objects.exists() and not files(disk)
    filler.unlink()
    frozen = ended(request_freeze(campaign=scene.campaign, settings=SETTINGS), carry_out_freeze)
    assert frozen.status == JobStatus.SUCCEEDED, frozen.message
    version, before = DatasetVersion.objects.get(), files(disk)
    options = {"encoder": str(tiny_encoder), "method": "finetune", "epochs": 1, "device": "cpu"}
    asked = {"version": version, "criterion": "feature_completeness", "options": options}
    run = request_training(**asked)
    filler = fill(disk)
    assert_failed_as_full(ended(run, carry_out_training))
    assert not ModelVersion.objects.exists() and files(disk) == before
    filler.unlink()
    again = ended(request_training(**asked), carry_out_training)
    assert again.status == JobStatus.SUCCEEDED, again.message
    assert ModelVersion.objects.get().run_id == again.pk


def export(scene: RatedCampaign, disk: Path) -> None:
    arguments = ("export_ratings", scene.campaign.slug, "--format", "csv", "--output")
    call_command(*arguments, str(disk / "ratings.csv"))


def assert_export_refused(scene: RatedCampaign, disk: Path, capsys: Capture) -> None:
    """Export to the full disk; it must report it and leave nothing."""
    filler = fill(disk)
    with pytest.raises(SystemExit):
        export(scene, disk)
    assert "No space left" in capsys.readouterr().err
    assert [path.name for path in disk.iterdir() if path.is_file()] == [filler.name]
    filler.unlink()


def test_an_export_to_a_full_disk_says_so_and_leaves_no_file(scene, disk, tally, capsys) -> None:
    tally.tried(exports_to_a_full_disk=1)
    assert_export_refused(scene, disk, capsys)
    export(scene, disk)
    assert (disk / "ratings.csv").stat().st_size > 1_000


class Careless:
    """A file that takes what is written to it, whether there is space or not."""

    def __init__(self, file: Any) -> None:
        self.file = file

    def write(self, piece: bytes) -> None:
        with suppress(OSError):
            self.file.write(piece)

    def writelines(self, pieces: Iterable[bytes]) -> None:
        for piece in pieces:
            self.write(piece)


@contextmanager
def written_carelessly(target: Path) -> Iterator[Careless]:
    part = target.with_name(f"{target.name}.part")
    with part.open("wb", buffering=0) as file:
        yield Careless(file)
    part.replace(target)


def test_an_export_that_swallows_a_full_disk_is_found_out(scene, disk, monkeypatch, capsys) -> None:
    for module in (exports_services, core_files):
        monkeypatch.setattr(module, "open_atomic", written_carelessly)
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        assert_export_refused(scene, disk, capsys)
