"""P15: a backup restores, to the last row and file of one moment, and nothing less is accepted."""

import http.cookiejar
import json
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from annotator.accounts.sessions import create_token
from annotator.models import Assignment, Backup, Campaign, User
from annotator.operations.backups import services as backups_services
from annotator.operations.backups.archives import Manifest, check_archive
from annotator.operations.backups.sealing import KeyFile, open_sealed, seal_to
from annotator.operations.backups.services import make_backup
from annotator.operations.backups.tables import applied_migrations
from annotator.rating.services import submit_rating
from patclaimeval.rubric import CRITERIA
from scoring.datasets.freezing.imports import import_dataset
from scoring.datasets.freezing.services import freeze_dataset
from scoring.models import ModelVersion
from scoring.quadruplets import SplitPlan
from tests.annotator.operations.conftest import key
from tests.conftest import grant, make_reference
from tests.promises.fresh_host import Host, fresh_host
from tests.promises.harness import SCALE, SERVED, Caller, rating_body
from tests.promises.test_ratings_export import slowly
from tests.scoring.conftest import (  # noqa: F401 - fixtures
    RatedCampaign,
    data_directory,
    dataset_rows,
    make_campaign,
    tiny_encoder,
)
from tests.scoring.model_builders import CRITERION, train_tiny
from tests.served.server import Server

__all__ = ["key"]
pytestmark = [pytest.mark.promise("P15"), *SERVED]
WRITERS = 20 if SCALE > 1 else 6
PASSWORD = "a pump of many parts"
# What one submitted rating adds a row to.
TOGETHER = ("annotator_rating", "annotator_ratingrevision")


@pytest.fixture
def scene(data_directory: Path, transactional_db: None) -> RatedCampaign:  # noqa: F811
    scene = make_campaign(4)
    scene.rate_all(range(4))
    return scene


@pytest.fixture
def model(scene: RatedCampaign, tiny_encoder: Path) -> ModelVersion:  # noqa: F811
    version = import_dataset(name="tiny", rows=dataset_rows(), plan=SplitPlan("file")).version
    freeze_dataset(campaign=scene.campaign, name="cups", include_unlocked=True)
    return train_tiny(version, tiny_encoder)


@pytest.fixture
def host(tmp_path: Path, transactional_db: None) -> Iterator[Host]:
    with fresh_host(tmp_path / "restored") as found:
        yield found


@contextmanager
def submitting(campaign: Campaign) -> Iterator[list[str]]:
    """Have many annotators submit ratings until the block ends; give what was acknowledged."""
    reference = make_reference(campaign, "busy", 30)
    stop, acknowledged = threading.Event(), list[str]()
    mine: dict[User, list[Assignment]] = {}
    for number in range(WRITERS):
        user = grant(User.objects.create(username=f"writer-{number}"), campaign, "annotator")
        rows = reference.candidates.all()
        mine[user] = Assignment.objects.bulk_create(
            Assignment(campaign=campaign, annotator=user, candidate=row, label="x") for row in rows
        )

    def submit(user: User) -> None:
        try:
            for row in mine[user]:
                if stop.wait(0.02):
                    break
                scores = dict.fromkeys(CRITERIA, 5)
                rating = submit_rating(assignment_id=row.pk, annotator=user, scores=scores)
                acknowledged.append(str(rating.pk))
        finally:
            connection.close()

    threads = [threading.Thread(target=submit, args=(user,)) for user in mine]
    for thread in threads:
        thread.start()
    try:
        yield acknowledged
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def contents(sealed: Path, key_file: Path, spool: Path) -> tuple[Manifest, dict[str, list[Any]]]:
    """Return the manifest of a backup and the values of the first column of two tables."""
    with spool.open("w+b") as plain:
        with sealed.open("rb") as source:
            open_sealed(source, plain, KeyFile(key_file))
        found = check_archive(plain)
        tables = {
            table.name: [json.loads(line)[table.columns.index("id")] for line in found.lines(table)]
            for table in found.manifest.tables
            if table.name in TOGETHER
        }
        return found.manifest, tables


def test_a_backup_made_while_annotators_submit_is_of_one_moment_and_restores(
    scene, model, key, host, tmp_path, tally
) -> None:
    alice = scene.people["alice"]
    alice.set_password(PASSWORD)
    alice.save()
    token = create_token(user=alice).token
    left = make_reference(scene.campaign, "left", 1)
    sealed = tmp_path / "all.backup"
    with submitting(scene.campaign) as acknowledged:
        while len(acknowledged) < WRITERS:
            assert threading.active_count() > 1
            time.sleep(0.01)
        before = list(acknowledged)
        with slowly():
            row, _ = make_backup(target=sealed, seal=seal_to([key[0]]))
    assert sealed.stat().st_mode & 0o777 == 0o600
    assert Backup.objects.get() == row
    manifest, ids = contents(sealed, key[1], tmp_path / "plain")
    counts = {table.name: table.rows for table in manifest.tables}
    tally.tried(backups_under_load=1, rows_restored=manifest.rows)
    tally.found(lost=len(set(before) - set(ids["annotator_rating"])))
    # Every acknowledged rating with its revision, and nothing of a rating without the other.
    assert set(before) <= set(ids["annotator_rating"])
    assert len(ids["annotator_rating"]) < len(acknowledged) + 24
    assert counts["annotator_ratingrevision"] == counts["annotator_rating"]
    assert b"1. A cup number" not in sealed.read_bytes()

    assert json.loads(host.restore(sealed, key[1]))["rows"] == manifest.rows
    trail = host.command("verify_audit")
    assert trail.returncode == 0, trail.stderr
    assert files_missing(host) == set()
    check_what_lives(host, scene, model, token, str(left.candidates.get().pk))
    again = host.command("restore", str(sealed), "--identity", str(key[1]))
    assert again.returncode == 1
    assert "holds data already" in again.stderr


def check_what_lives(
    host: Host, scene: RatedCampaign, model: ModelVersion, token: str, candidate: str
) -> None:
    """Sign in, rate, load the model and report on the restored host."""
    server = Server(**host.env)
    server.start()
    try:
        caller = Caller(scene.people["alice"], token, server.port)
        taken = caller.take_next(scene.campaign)
        assert taken.status == 200, taken
        answer = caller.submit(rating_body(taken.body["id"], (7, 7, 7, 7)), "once")
        assert answer.status == 201, answer
        assert signed_in(server), "the password is not what it was"
    finally:
        server.kill()
    report = host.command(
        *("agreement_report", "tiny", "--criterion", CRITERION, "--split", "train"),
        *("--scorers", f"bleu-1,model:{model.pk}", "--resamples", "100", "--json"),
    )
    assert report.returncode == 0, report.stderr
    assert json.loads(report.stdout)["scorers"][f"model:{model.pk}"]["n"] > 0


def signed_in(server: Server) -> bool:
    jar = http.cookiejar.CookieJar()
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
    browser.open(f"{server.url}/login/").read()
    secret = next(cookie.value for cookie in jar if cookie.name == "csrftoken")
    fields = {"username": "trial-alice", "password": PASSWORD, "csrfmiddlewaretoken": secret}
    answer = browser.open(f"{server.url}/login/", urllib.parse.urlencode(fields).encode())
    return bool(answer.status == 200 and "/login" not in answer.url)


@pytest.mark.exhaustive
def test_a_backup_of_an_older_version_is_brought_up_to_this_one(
    scene, key, host, tmp_path, monkeypatch
) -> None:
    graph = MigrationLoader(connection).graph
    later = {
        node
        for node in graph.nodes
        if ("annotator", "0003_raters_do_not_rule") in graph.forwards_plan(node)
    }
    older = sorted(set(applied_migrations()) - later)
    assert later
    sealed = tmp_path / "older.backup"
    with monkeypatch.context() as patched:
        patched.setattr(backups_services, "applied_migrations", lambda: older)
        patched.setattr(backups_services, "known_migrations", lambda: set(older))
        make_backup(target=sealed, seal=seal_to([key[0]]))
    host.restore(sealed, key[1])
    assert host.command("migrate", "--check").returncode == 0


@pytest.mark.skipif(SCALE == 1, reason="planted at full counts only")
def test_a_backup_that_left_the_files_out_is_found_out(
    scene, model, key, host, tmp_path, monkeypatch
) -> None:
    sealed = tmp_path / "rows.backup"
    monkeypatch.setattr(backups_services, "stored_files", list)
    make_backup(target=sealed, seal=seal_to([key[0]]))
    host.restore(sealed, key[1])
    assert files_missing(host) == {"model files", "dataset files"}


def files_missing(host: Host) -> set[str]:
    """Return of which files the restored host misses some, as the drill of the guide asks it."""
    findings = json.loads(host.command("doctor", "--json").stdout)["findings"]
    return {
        one["part"]
        for one in findings
        if one["part"].endswith(" files") and one["level"] == "missing"
    }
