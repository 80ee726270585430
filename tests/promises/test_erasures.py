"""An erased reference is nowhere: in no row, file or freed page, and in no backup made after."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyrage
import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone

from annotator.imports.files import uploads_directory
from annotator.models import (
    Assignment,
    Campaign,
    ClaimImport,
    Departure,
    Draft,
    Flag,
    Rating,
    Reference,
    ReliabilityReport,
    User,
)
from annotator.operations.backups.archives import check_archive
from annotator.operations.backups.sealing import KeyFile, open_sealed, seal_to
from annotator.operations.backups.services import make_backup
from annotator.operations.backups.tables import applied_migrations, lines_of, models_after
from annotator.rating.services import submit_rating
from core.errors import Forbidden, OutOfDate, Refused
from core.jobs.registry import tidy
from core.storage import put
from patclaimeval.rubric import CRITERIA
from scoring import files as scoring_files
from scoring.datasets.freezing.services import freeze_dataset
from scoring.erasures import services as erasures_services
from scoring.erasures.queries import aftermath
from scoring.erasures.services import answer_erasure, ask_erasure, carry_out_erasures
from scoring.models import (
    AgreementReport,
    DatasetVersion,
    Erasure,
    MetricScore,
    ModelVersion,
    ScoreRequest,
)
from tests.conftest import grant, make_user
from tests.promises.harness import wait_until
from tests.s3_servers import OwnS3, on_another_host, serving, use_bucket
from tests.scoring.conftest import RatedCampaign, data_directory, make_campaign  # noqa: F401
from tests.scoring.model_rows import model_row, write_directory
from tests.served.postgres import programs

pytestmark = pytest.mark.django_db(transaction=True)
CANARY = "zqxcanary"
CLAIMS = f"1. A {CANARY} comprising a lid of a secret alloy."


@pytest.fixture
def alone(request: pytest.FixtureRequest, transactional_db: None) -> None:
    """Move to a server of one's own: an erasure waits for whoever reads, in any database of it."""
    if connection.vendor == "postgresql":
        if programs() is None:
            pytest.skip("no programs of PostgreSQL")
        request.getfixturevalue("own_postgres")()


@pytest.fixture
def scene(alone: None, data_directory: Path) -> RatedCampaign:  # noqa: F811
    """A campaign of four references; the first is full of the canary, wherever text can be."""
    scene = make_campaign(4)
    scene.rate_all(range(1, 4))
    plant(scene)
    return scene


def plant(scene: RatedCampaign) -> None:
    now = timezone.now()
    Reference.objects.filter(reference_id="r0").update(
        claims=CLAIMS, title=CANARY, family=CANARY, draft_claims=CLAIMS, reference_id=f"EP{CANARY}"
    )
    reference = erased_reference()
    for row in reference.candidates.all():
        row.claims = f"{CLAIMS} {row.candidate_id}"
        row.save()
        for name, user in scene.people.items():
            given = Assignment.objects.create(
                campaign=scene.campaign, annotator=user, candidate=row, label=name
            )
            if name == "bob" and row.candidate_id == "c3":
                typed = {"comment": CANARY}
                Draft.objects.create(assignment=given, typed=typed, saved_at=now)
                Flag.objects.create(
                    assignment=given, reason_code="other", reason=CANARY, made_at=now
                )
                Departure.objects.create(
                    assignment=given, kind="skip", reason_code="other", reason=CANARY, made_at=now
                )
                continue
            rating = submit_rating(
                assignment_id=given.pk,
                annotator=user,
                scores=dict.fromkeys(CRITERIA, 5),
                comment=CANARY,
                submitted_at=now,
            )
            tags = [{"tag": "x", "side": "candidate", "start": 1, "end": 2, "remark": CANARY}]
            for found in (rating, rating.revisions.get()):
                found.error_tags, found.note = tags, CANARY
                found.save()
    brought = ClaimImport.objects.create(
        campaign=scene.campaign,
        file_name="claims.jsonl",
        file_sha256="0" * 64,
        file_bytes=1,
        format="csv",
        result={"counts": {"references": 1}, "preview": [{"claims": CLAIMS}]},
    )
    (uploads_directory() / str(brought.pk)).write_text(CLAIMS)
    ReliabilityReport.objects.create(
        campaign=scene.campaign, input_sha256="0" * 64, result={"words": [CLAIMS]}
    )
    ScoreRequest.objects.create(
        asked_by=scene.people["alice"],
        reference_text=CLAIMS,
        candidate_texts=[CLAIMS],
        models_by_criterion={},
    )
    MetricScore.objects.create(
        scorer="bleu-1",
        reference_sha256=reference.claims_sha256,
        candidate_sha256=reference.candidates.all()[0].claims_sha256,
        value=0.5,
    )
    (scoring_files.cache_directory() / "vectors").mkdir()
    (scoring_files.cache_directory() / "vectors" / "one").write_text(CANARY)


def erased_reference() -> Reference:
    return Reference.objects.get(family=CANARY)


@pytest.fixture
def version(scene: RatedCampaign) -> DatasetVersion:
    """A version that holds the canary, with a model and a report that quotes it."""
    made = freeze_dataset(campaign=scene.campaign, name="cups", include_unlocked=True).version
    assert CANARY in scoring_files.dataset_path(made.sha256).read_text()
    model = model_row(made)
    directory = scoring_files.models_directory() / model.directory
    model.manifest_sha256 = write_directory(directory, {"config.json": b"{}"})
    model.save()
    AgreementReport.objects.create(
        dataset_version=made,
        criterion="feature_completeness",
        scorers=["bleu-1"],
        split="all",
        tie_threshold=0,
        result={"n": 4, "items": [{"reference_id": f"EP{CANARY}", "B": CLAIMS}]},
    )
    return made


@pytest.fixture
def two(scene: RatedCampaign) -> tuple[User, User]:
    """An admin of the campaign, and a site admin."""
    return grant(make_user("ada"), scene.campaign, "admin"), make_user("sam", is_superuser=True)


def erase(two: tuple[User, User]) -> Reference:
    reference = erased_reference()
    row = ask_erasure(reference=reference, asked_by=two[0], reason=f"about {CANARY}")
    answer_erasure(erasure=row, answered_by=two[1], agrees=True)
    wait_until(lambda: carry_out_erasures() == 1, "nobody reads as of before")
    reference.refresh_from_db()
    return reference


def holding(data: bytes, where: object) -> list[str]:
    return [str(where)] if CANARY.encode() in data else []


def found_in_rows() -> list[str]:
    return [
        found
        for model in models_after(applied_migrations())
        for line in lines_of(model)
        for found in holding(line, f"{model._meta.db_table}: {line[:300]!r}")
    ]


def found_in_files(directory: Path) -> list[str]:
    files = [path for path in directory.rglob("*") if path.is_file()]
    return [found for path in files for found in holding(path.read_bytes(), path)]


def found_in_the_database_itself() -> list[str]:
    """Look at the bytes on disk: those of the file with its log, or of the server's tables."""
    if connection.vendor == "sqlite":
        name = Path(connection.settings_dict["NAME"])
        return [x for p in name.parent.glob(name.name + "*") for x in holding(p.read_bytes(), p)]
    with connection.cursor() as cursor:
        cursor.execute("SHOW data_directory")
        (directory,) = cursor.fetchone()
        cursor.execute("SELECT oid FROM pg_database WHERE datname = current_database()")
        (oid,) = cursor.fetchone()
    return found_in_files(Path(directory, "base", str(oid)))


def found_in_a_new_backup(tmp_path: Path) -> list[str]:
    key = pyrage.x25519.Identity.generate()
    (tmp_path / "key").write_text(str(key))
    sealed = tmp_path / "after.backup"
    make_backup(target=sealed, seal=seal_to([str(key.to_public())]))
    with (tmp_path / "plain").open("w+b") as plain:
        with sealed.open("rb") as source:
            open_sealed(source, plain, KeyFile(tmp_path / "key"))
        archive = check_archive(plain)
        tables = [x for t in archive.manifest.tables for x in archive.lines(t)]
        files = [piece for f in archive.manifest.files for piece in archive.file(f)]
    assert tables
    return [found for piece in [*tables, *files] for found in holding(piece, piece[:80])]


def test_an_erased_reference_is_nowhere_and_leaves_a_tombstone(
    scene, version, two, tmp_path
) -> None:
    assert len(found_in_rows()) > 10
    assert found_in_files(Path(settings.DATA_DIR))
    scores = Rating.objects.filter(candidate__reference=erased_reference()).count()
    reference = erase(two)
    assert found_in_rows() == []
    assert found_in_files(Path(settings.DATA_DIR)) == []
    assert found_in_a_new_backup(tmp_path) == []
    # What stays: scores, times, names, the trail, and a tombstone.
    assert reference.erased_at is not None
    assert Rating.objects.filter(candidate__reference=reference).count() == scores == 5
    tombstone = Erasure.objects.get()
    assert (tombstone.status, len(tombstone.mark)) == ("done", 64)
    assert not reference.candidates.filter(has_room=True).exists()
    assert not Assignment.objects.filter(candidate__reference=reference, status="open").exists()
    assert MetricScore.objects.count() == 0
    # The other references are as they were.
    assert Reference.objects.filter(erased_at=None).exclude(claims="").count() == 3
    assert found_in_the_database_itself() == []


@pytest.fixture
def bucket(
    tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[OwnS3, str]]:
    """A bucket that retains former versions, in which this site shares its files."""
    with serving("moto", tmp_path / "moto") as server:
        name = server.make_bucket()
        server.client().put_bucket_versioning(
            Bucket=name, VersioningConfiguration={"Status": "Enabled"}
        )
        use_bucket(name, server.url, settings, monkeypatch)
        yield server, name


def found_in_the_bucket(server: OwnS3, bucket: str) -> list[str]:
    client = server.client()
    return [
        found
        for one in client.list_object_versions(Bucket=bucket).get("Versions", ())
        for found in holding(
            client.get_object(Bucket=bucket, Key=one["Key"], VersionId=one["VersionId"])[
                "Body"
            ].read(),
            one["Key"],
        )
    ]


@pytest.mark.broker
def test_an_erased_reference_is_nowhere_in_the_bucket_and_on_no_other_host(
    bucket, scene, version, two, settings, tmp_path
) -> None:
    server, name = bucket
    with on_another_host(settings, tmp_path) as elsewhere:
        scoring_files.check_dataset(version.sha256)
        key = scoring_files.stored_name(version.sha256)
        # Deleted and written again, as by hands: a version and a mark are left of that.
        server.client().delete_object(Bucket=name, Key=key)
        put(key)
        assert found_in_files(elsewhere)
    assert len(found_in_the_bucket(server, name)) == 2
    erase(two)
    assert found_in_the_bucket(server, name) == []
    assert found_in_files(Path(settings.DATA_DIR)) == []
    with on_another_host(settings, tmp_path) as elsewhere:
        tidy(only_host=True)
        assert found_in_files(elsewhere) == []
    assert found_in_a_new_backup(tmp_path) == []


@pytest.mark.skipif("connection.vendor == 'sqlite'", reason="SQLite's log shows it by itself")
def test_an_erasure_is_not_over_while_somebody_reads_as_of_before(scene, two, monkeypatch) -> None:
    monkeypatch.setattr(erasures_services, "WAIT_FOR_READERS_SECONDS", 0)
    reader = connection.copy()
    with reader.cursor() as cursor:
        cursor.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        cursor.execute("SELECT count(*) FROM annotator_reference")
        row = ask_erasure(reference=erased_reference(), asked_by=two[0], reason="over")
        answer_erasure(erasure=row, answered_by=two[1], agrees=True)
        assert carry_out_erasures() == 0
    reader.close()
    wait_until(lambda: carry_out_erasures() == 1, "nobody reads as of before")


def test_a_version_that_held_it_is_refused_with_the_day_and_its_model_is_to_be_retired(
    scene, version, two
) -> None:
    reference = erase(two)
    day = timezone.now().date().isoformat()
    with pytest.raises(scoring_files.DatasetErased, match=f"erased in part on {day}"):
        scoring_files.open_dataset(version.sha256)
    model = ModelVersion.objects.get()
    assert model.retire_since is not None
    left = aftermath(reference)
    assert left is not None
    assert left.models == (model,)
    again = freeze_dataset(campaign=scene.campaign, name="cups", include_unlocked=True).version
    lines = scoring_files.dataset_path(again.sha256).read_text().splitlines()
    assert {json.loads(line)["reference_id"] for line in lines} == {"r1", "r2", "r3"}


def test_it_takes_two_people_and_no_legal_hold(scene, two) -> None:
    ada, sam = two
    reference = erased_reference()
    both = grant(make_user("both", is_superuser=True), scene.campaign, "admin")
    for act, refusal in refused_asks(reference, scene, ada):
        with pytest.raises(refusal):
            act()
    Campaign.objects.update(has_legal_hold=True)
    with pytest.raises(Refused, match="legal hold"):
        ask_erasure(reference=reference, asked_by=ada, reason="x")
    Campaign.objects.update(has_legal_hold=False)
    row = ask_erasure(reference=reference, asked_by=both, reason="x")
    with pytest.raises(OutOfDate):
        ask_erasure(reference=reference, asked_by=ada, reason="x")
    for person in (both, ada):
        with pytest.raises(Forbidden):
            answer_erasure(erasure=row, answered_by=person, agrees=True)
    Campaign.objects.update(has_legal_hold=True)
    with pytest.raises(Refused, match="legal hold"):
        answer_erasure(erasure=row, answered_by=sam, agrees=True)
    Campaign.objects.update(has_legal_hold=False)
    answer_erasure(erasure=row, answered_by=sam, agrees=True)
    with pytest.raises(OutOfDate):
        answer_erasure(erasure=row, answered_by=sam, agrees=False)
    # A hold that comes between wins.
    Campaign.objects.update(has_legal_hold=True)
    assert carry_out_erasures() == 0
    assert erased_reference().claims == CLAIMS
    Campaign.objects.update(has_legal_hold=False)
    wait_until(lambda: carry_out_erasures() == 1, "nobody reads as of before")
    assert carry_out_erasures() == 0


def refused_asks(
    reference: Reference, scene: RatedCampaign, ada: User
) -> list[tuple[Callable[[], Any], type[Exception]]]:
    def ask(**how: Any) -> Callable[[], Any]:
        return lambda: ask_erasure(**({"reference": reference, "asked_by": ada} | how))

    return [
        (ask(reason=" "), Refused),
        (ask(reason="x" * 2001), Refused),
        (ask(reason="x", asked_by=scene.people["alice"]), Forbidden),
    ]
