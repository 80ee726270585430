import io
import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from annotator.models import SWEEPER, Campaign, ClaimImport
from annotator.operations.presences import report_presence
from core import storage
from core.errors import Unreachable
from scoring.models import Dataset, DatasetVersion
from tests.faults import raising
from tests.scoring.model_rows import model_row, write_directory

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    return Campaign.objects.create(slug="a", name="a")


@pytest.fixture
def programs(settings: Any, tmp_path: Path) -> None:
    """Have every program reported alive, on a data directory of the test's own."""
    tmp_path.chmod(0o700)
    settings.DATA_DIR = tmp_path
    # Where the programs start; what they find there differs from test to test.
    settings.WHITENOISE_USE_FINDERS = True
    report_presence(name="one of each", works=["web", "gpu", SWEEPER])


def examine() -> tuple[int, dict[str, list[dict[str, str]]]]:
    out, code = io.StringIO(), 0
    try:
        call_command("doctor", "--json", stdout=out)
    except SystemExit as end:
        code = int(end.code or 0)
    document = json.loads(out.getvalue())
    assert document["status"] == ("ok" if code == 0 else "not ok")
    levels: dict[str, list[dict[str, str]]] = {"ok": [], "warning": [], "missing": []}
    for finding in document["findings"]:
        levels[finding["level"]].append(finding)
    return code, levels


def parts(findings: list[dict[str, str]]) -> set[str]:
    return {finding["part"] for finding in findings}


def test_nothing_is_missing_where_every_program_lives(programs) -> None:
    code, levels = examine()
    assert (code, levels["missing"]) == (0, [])
    workers = {"worker of queue web", "worker of queue gpu", SWEEPER}
    assert workers | {"broker", "model files"} <= parts(levels["ok"])


@pytest.mark.parametrize(
    ("works", "part"),
    [
        (["web", SWEEPER], "worker of queue gpu"),
        (["gpu", SWEEPER], "worker of queue web"),
        (["web", "gpu"], SWEEPER),
    ],
)
def test_a_program_that_is_not_alive_is_missing(settings, tmp_path, works, part) -> None:
    tmp_path.chmod(0o700)
    settings.DATA_DIR = tmp_path
    report_presence(name="some", works=works)
    code, levels = examine()
    assert code == 1
    assert part in parts(levels["missing"])
    assert all(finding["mend"] for finding in levels["missing"] + levels["warning"])


def test_jobs_that_wait_for_long_are_a_warning_that_names_their_kinds(programs, campaign) -> None:
    ClaimImport.objects.create(campaign=campaign, file_name="a", file_bytes=1)
    assert "jobs" in parts(examine()[1]["ok"])
    ClaimImport.objects.update(due_at=timezone.now() - timedelta(minutes=25))
    code, levels = examine()
    found = [finding["found"] for finding in levels["warning"] if finding["part"] == "jobs"]
    assert (code, found) == (0, ["Jobs have waited for more than 10 minutes: 1 claimimport."])


def test_a_bucket_is_asked_whether_it_answers(programs, settings: Any, monkeypatch) -> None:
    def found(probe: Callable[[], None]) -> list[tuple[str, str]]:
        monkeypatch.setattr(storage, "probe", probe)
        levels = examine()[1]
        return [
            (level, one["found"])
            for level in levels
            for one in levels[level]
            if one["part"] == "bucket"
        ]

    assert found(lambda: None) == []
    settings.STORAGE_BUCKET = "claims"
    assert found(lambda: None) == [("ok", "The bucket claims answers.")]
    assert found(raising(Unreachable("It is away."))) == [("missing", "It is away.")]


def test_a_migration_that_waits_is_missing_and_nothing_else_is_asked_of_the_database(programs):
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'scoring'")
    code, levels = examine()
    assert (code, parts(levels["missing"])) == (1, {"database"})
    assert "migrate" in levels["missing"][0]["mend"]
    assert not any("worker" in finding["part"] for finding in levels["ok"])


def test_what_others_could_read_or_enter_is_a_warning_or_missing(programs, tmp_path) -> None:
    (tmp_path / "secret_key").write_text("x")
    (tmp_path / "secret_key").chmod(0o644)
    code, levels = examine()
    assert code == 0
    assert "secret_key" in next(f["found"] for f in levels["warning"] if f["part"] == "file modes")
    (tmp_path / "secret_key").unlink()
    tmp_path.chmod(0o755)
    code, levels = examine()
    assert (code, parts(levels["missing"])) == (1, {"file modes"})
    assert str(tmp_path) in levels["missing"][0]["mend"]


def test_static_files_that_were_never_collected_are_missing(programs, settings: Any) -> None:
    settings.WHITENOISE_USE_FINDERS = False
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    }
    code, levels = examine()
    assert (code, parts(levels["missing"])) == (1, {"static files"})


@pytest.mark.django_db(transaction=True)
def test_a_database_that_may_lose_what_it_acknowledged_is_a_warning(programs) -> None:
    is_postgres = connection.vendor == "postgresql"
    choose = "SET synchronous_commit = {}" if is_postgres else "PRAGMA synchronous = {}"

    def what_is_wrong(choice: str) -> list[str]:
        with connection.cursor() as cursor:
            cursor.execute(choose.format(choice))
        _, levels = examine()
        return [found["found"] for found in levels["warning"] if found["part"] == "database"]

    assert sum("acknowledged" in words for words in what_is_wrong("off")) == 1
    weak = {"synchronous_commit", "synchronous=FULL"}
    sound = what_is_wrong("on" if is_postgres else "full")
    assert not any(word in words for word in weak for words in sound)
    connection.close()  # the choice goes with it


def test_a_model_whose_file_was_changed_is_missing_its_file(programs, tmp_path: Path) -> None:
    dataset = Dataset.objects.create(name="tiny")
    version = DatasetVersion.objects.create(
        dataset=dataset, number=1, sha256="0" * 64, items=0, card={}
    )
    model = model_row(version)
    model.manifest_sha256 = write_directory(
        tmp_path / "models" / model.directory, {"weights": b"12345"}
    )
    model.save()
    code, levels = examine()
    assert parts(levels["missing"]) == {"dataset files"}
    found = {finding["part"]: finding["found"] for finding in levels["ok"]}
    assert "1 model unchanged" in found["model files"]
    (tmp_path / "models" / model.directory / "weights").write_bytes(b"12346")
    code, levels = examine()
    assert (code, parts(levels["missing"])) == (1, {"dataset files", "model files"})
    assert str(model.pk) in next(
        f["found"] for f in levels["missing"] if f["part"] == "model files"
    )


def test_for_a_reader_each_finding_is_a_line_with_what_mends_it(settings: Any, tmp_path) -> None:
    settings.DATA_DIR = tmp_path
    out = io.StringIO()
    with pytest.raises(SystemExit):
        call_command("doctor", stdout=out)
    assert "MISSING  worker of queue gpu: None is alive" in out.getvalue()
    assert "To mend it: Start one:" in out.getvalue()
