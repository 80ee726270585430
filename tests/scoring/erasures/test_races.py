"""A freeze or import and an erasure at one moment: whichever is first, no text of it is left."""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import pytest
from django.db import connection

from annotator import audit_log
from annotator.models import User
from core.clock import database_now
from core.errors import Refused
from core.jobs.rows import JobStatus
from scoring import files as scoring_files
from scoring.datasets.freezing import services as freezing_services
from scoring.datasets.freezing.imports import import_dataset
from scoring.datasets.freezing.services import carry_out_freeze, freeze_dataset, request_freeze
from scoring.datasets.versions.lineage import versions_with
from scoring.erasures import services as erasures_services
from scoring.files import dataset_path, datasets_directory
from scoring.models import DatasetVersion, Erasure
from scoring.quadruplets import DatasetRow, SplitPlan
from tests.scoring.conftest import SETTINGS, RatedCampaign, make_campaign

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
# Longer than what the other does takes; who waits for a lock is still there after it.
WAIT_SECONDS: Final = 2
TEXT: Final = "1. A cup number 0."


@pytest.fixture
def scene(data_directory: None, transactional_db: None) -> RatedCampaign:
    return make_campaign(4).rate_all()


@pytest.fixture
def erasure(scene: RatedCampaign) -> Erasure:
    """The erasure of the first reference, agreed to and not carried out."""
    people = [User.objects.create(username=name, is_superuser=True) for name in ("ada", "sam")]
    return Erasure.objects.create(
        campaign=scene.campaign,
        reference=scene.campaign.references.get(reference_id="r0"),
        status="agreed",
        asked_by=people[0],
        asked_at=database_now(),
        answered_by=people[1],
        answered_at=database_now(),
        reason="The client asked.",
    )


def erase(row: Erasure) -> None:
    """Do what the sweeper does, but for what it asks of a whole server."""
    erasures_services._erase_rows(row.pk)
    row.refresh_from_db()
    erasures_services._erase_files(row)


def begun(act: Callable[[], object]) -> threading.Thread:
    """Begin an act in a thread; it has ended on return unless it waits for a lock."""

    def run() -> None:
        try:
            with suppress(Refused):
                act()
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(WAIT_SECONDS)
    return thread


def once(act: Callable[[], object]) -> Callable[[], object]:
    """Return an act that is done the first time it is asked for."""
    left = [act]
    return lambda: left and left.pop()()


def held_texts() -> list[str]:
    return [
        path.name for path in datasets_directory().iterdir() if TEXT.encode() in path.read_bytes()
    ]


def rows_of_files(reference: str = "r0", text: str = TEXT) -> list[DatasetRow]:
    labels = {"feature_completeness": 1}
    return [DatasetRow("q1", reference, text, "1. A mug.", "1. A lid.", "c1", "c2", labels, "test")]


def while_writing(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Have something done when the file is written, and its version not yet stored."""
    write, first = scoring_files.store_dataset, once(act)

    def then(pieces: Any) -> str:
        digest = write(pieces)
        first()
        return digest

    monkeypatch.setattr(scoring_files, "store_dataset", then)


def test_a_freeze_fails_when_a_reference_was_erased_since_it_was_read(
    scene, erasure, monkeypatch
) -> None:
    row = request_freeze(
        campaign=scene.campaign, settings=SETTINGS | {"name": None, "include_unlocked": False}
    )
    while_writing(monkeypatch, lambda: erase(erasure))
    carry_out_freeze(row.pk)
    row.refresh_from_db()
    assert (row.status, row.message) == (JobStatus.FAILED, freezing_services.ERASED)
    assert list(datasets_directory().iterdir()) == []
    assert not DatasetVersion.objects.exists()
    assert freeze_dataset(campaign=scene.campaign, **SETTINGS).is_new
    assert held_texts() == []


def test_the_file_of_an_erased_version_does_not_come_back(scene, erasure, monkeypatch) -> None:
    """The freeze gives the content of the version that the erasure has just emptied."""
    first = scene.freeze(**SETTINGS)
    write = scoring_files.store_dataset

    def erased_before(pieces: Any) -> str:
        erase(erasure)
        return write(pieces)

    monkeypatch.setattr(scoring_files, "store_dataset", erased_before)
    with pytest.raises(Refused, match="freeze again"):
        freeze_dataset(campaign=scene.campaign, **SETTINGS)
    assert not dataset_path(first.sha256).exists()
    assert held_texts() == []


def test_a_file_that_another_campaign_has_too_stays(scene, erasure, monkeypatch) -> None:
    rows = rows_of_files()
    other = import_dataset(name="of-all", rows=rows, plan=SplitPlan(by="file")).version
    while_writing(monkeypatch, lambda: erase(erasure))
    with pytest.raises(Refused, match="take it out"):
        import_dataset(name="own", rows=rows, plan=SplitPlan(by="file"), campaign=scene.campaign)
    assert dataset_path(other.sha256).exists()
    assert DatasetVersion.objects.get() == other


@pytest.mark.parametrize(
    ("text", "is_refused"), [(TEXT, True), ("1. A cup of somebody else.", False)]
)
def test_an_import_that_holds_what_was_erased_meanwhile_is_refused(
    scene, erasure, monkeypatch, text: str, is_refused: bool
) -> None:
    while_writing(monkeypatch, lambda: erase(erasure))
    given: dict[str, Any] = {"plan": SplitPlan(by="file"), "campaign": scene.campaign}
    rows = rows_of_files("r9", text)
    if is_refused:
        with pytest.raises(Refused, match="take it out"):
            import_dataset(name="own", rows=rows, **given)
    else:
        import_dataset(name="own", rows=rows, **given)
    assert DatasetVersion.objects.exists() is not is_refused
    assert held_texts() == []


@pytest.mark.parametrize("kind", ["freeze", "import"])
def test_a_version_that_is_stored_during_an_erasure_waits_and_is_refused(
    scene, erasure, monkeypatch, kind: str
) -> None:
    look = versions_with
    threads = []

    def store() -> None:
        if kind == "freeze":
            freeze_dataset(campaign=scene.campaign, **SETTINGS)
        else:
            import_dataset(
                name="own", rows=rows_of_files(), plan=SplitPlan(by="file"), campaign=scene.campaign
            )

    def looked(reference: Any) -> Any:
        found = look(reference)
        threads.append(begun(store))
        return found

    monkeypatch.setattr(erasures_services, "versions_with", looked)
    erase(erasure)
    for thread in threads:
        thread.join()
    assert not DatasetVersion.objects.exists()
    assert held_texts() == []


@pytest.mark.parametrize("kind", ["freeze", "import"])
def test_an_erasure_during_the_storing_of_a_version_waits_and_finds_it(
    scene, erasure, monkeypatch, kind: str
) -> None:
    """The version is written and not committed when the erasure begins."""
    record, threads = audit_log.record, []
    first = once(lambda: threads.append(begun(lambda: erase(erasure))))

    def recorded(**act: Any) -> Any:
        if act["action"].startswith("dataset."):
            first()
        return record(**act)

    monkeypatch.setattr(audit_log, "record", recorded)
    if kind == "freeze":
        freeze_dataset(campaign=scene.campaign, **SETTINGS)
    else:
        import_dataset(
            name="own", rows=rows_of_files(), plan=SplitPlan(by="file"), campaign=scene.campaign
        )
    for thread in threads:
        thread.join()
    erasure.refresh_from_db()
    version = DatasetVersion.objects.get()
    assert erasure.result["versions"] == [str(version.pk)]
    assert held_texts() == []
