"""Downloads on the web: names, types, whole files, and refusals that say why."""

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from annotator.models import AuditEvent, Membership, User
from scoring import files as scoring_files
from scoring.models import DatasetVersion

pytestmark = pytest.mark.django_db
EXPORT, CARD = "/datasets/tiny/1/export/", "/datasets/tiny/1/card/"


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def of_campaign(cast: Any, version: DatasetVersion) -> DatasetVersion:
    version.dataset.campaign = cast.campaign
    version.dataset.save()
    return version


def body(answer: Any) -> bytes:
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


@pytest.mark.parametrize(
    ("query", "name", "media_type"),
    [
        ("", "tiny-1.jsonl", "application/jsonl; charset=utf-8"),
        (
            "?format=patent-ce-jsonl&split=test",
            "tiny-1-test.jsonl",
            "application/jsonl; charset=utf-8",
        ),
        ("?format=patent-ce-json", "tiny-1.json", "application/json"),
        ("?format=csv&split=all", "tiny-1.csv", "text/csv; charset=utf-8; header=present"),
        ("?format=csv&split=train&gzip=1", "tiny-1-train.csv.gz", "application/gzip"),
    ],
)
def test_a_download_has_its_name_and_type_and_is_on_record(
    cast: Any, of_campaign: DatasetVersion, query: str, name: str, media_type: str
) -> None:
    answer = signed_in(cast.ada).get(EXPORT + query)
    assert answer.status_code == 200
    assert answer["Content-Disposition"] == f'attachment; filename="{name}"'
    assert answer["Content-Type"] == media_type
    assert body(answer)
    event = AuditEvent.objects.get(action="dataset.exported")
    assert (event.actor, event.campaign) == (cast.ada, cast.campaign)
    assert event.object_id == str(of_campaign.pk)
    assert event.details["dataset"] == "tiny@1"


def test_a_packed_download_unpacks_to_the_plain_one(cast: Any, of_campaign: DatasetVersion) -> None:
    ada = signed_in(cast.ada)
    plain = body(ada.get(EXPORT))
    assert plain == scoring_files.dataset_path(of_campaign.sha256).read_bytes()
    assert gzip.decompress(body(ada.get(EXPORT + "?gzip=1"))) == plain


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("?format=xml", "format"),
        ("?format=", "format"),
        ("?format=card-json", "format"),
        ("?split=half", "split"),
        ("?gzip=yes", "gzip"),
        ("?splt=test", "splt"),
        ("?format=csv&format=csv", "format"),
        ("?split=%00", "split"),
        ("?format=" + "x" * 3000, "format"),
    ],
)
def test_what_cannot_be_asked_for_is_refused_by_name(
    cast: Any, of_campaign: DatasetVersion, query: str, field: str
) -> None:
    answer = signed_in(cast.ada).get(EXPORT + query)
    assert answer.status_code == 400
    assert field in answer.content.decode()
    assert not AuditEvent.objects.filter(action="dataset.exported").exists()


@pytest.mark.parametrize("query", ["", "?split=test", "?format=csv", "?format=patent-ce-json"])
@pytest.mark.parametrize("damage", ["changed", "missing"])
def test_a_damaged_file_gives_a_reason_and_no_part_of_it(
    cast: Any, of_campaign: DatasetVersion, damage: str, query: str
) -> None:
    path = scoring_files.dataset_path(of_campaign.sha256)
    content = path.read_bytes()
    path.unlink()
    if damage == "changed":
        path.write_bytes(content.replace(b"machine5", b"machine4"))
    answer = signed_in(cast.ada).get(EXPORT + query)
    assert answer.status_code == 422
    assert damage in body(answer).decode()
    assert b"housing" not in body(answer)
    assert "Content-Disposition" not in answer


def test_researchers_read_the_card_and_admins_take_the_rows(
    cast: Any, of_campaign: DatasetVersion
) -> None:
    rita = signed_in(cast.rita)
    assert rita.get(EXPORT).status_code == 403
    answer = rita.get(CARD)
    assert answer["Content-Disposition"] == 'attachment; filename="tiny-1.card.json"'
    assert json.loads(answer.content)["sha256"] == of_campaign.sha256
    assert b"housing" not in answer.content
    answer = rita.get(CARD + "?format=card-md")
    assert answer["Content-Type"] == "text/markdown; charset=utf-8"
    assert answer.content.decode().startswith("# tiny, version 1\n")
    for name in ("alice", "bob", "carol"):
        assert signed_in(getattr(cast, name)).get(CARD).status_code == 403
    Membership.objects.create(user=cast.mallory, campaign=cast.elsewhere, role="admin")
    for path in (EXPORT, CARD):
        assert signed_in(cast.mallory).get(path).status_code == 404


def test_an_admin_of_another_campaign_takes_no_rows_of_this_one(
    cast: Any, of_campaign: DatasetVersion
) -> None:
    Membership.objects.create(user=cast.rita, campaign=cast.elsewhere, role="admin")
    answer = signed_in(cast.rita).get(EXPORT)
    assert answer.status_code == 403
    assert "Only admins of the campaign" in answer.content.decode()
    assert not AuditEvent.objects.filter(action="dataset.exported").exists()


def test_the_sums_fit_what_is_downloaded(
    cast: Any, of_campaign: DatasetVersion, tmp_path: Path
) -> None:
    ada = signed_in(cast.ada)
    lines = ada.get(CARD + "?format=sha256sums").content.decode().splitlines()
    sums = {name: digest for digest, name in (line.split("  ") for line in lines)}
    files = {
        "tiny-1.jsonl": ada.get(EXPORT),
        "tiny-1.card.json": ada.get(CARD),
        "tiny-1.card.md": ada.get(CARD + "?format=card-md"),
    }
    assert sums == {
        name: hashlib.sha256(body(answer)).hexdigest() for name, answer in files.items()
    }


@pytest.mark.parametrize("query", ["?format=csv", "?split=test", "?format=card-md&format=card-md"])
def test_a_card_that_cannot_be_asked_for_is_refused(
    cast: Any, of_campaign: DatasetVersion, query: str
) -> None:
    assert signed_in(cast.rita).get(CARD + query).status_code == 400


def test_names_of_imported_files_are_for_admins(cast: Any, of_campaign: DatasetVersion) -> None:
    of_campaign.card["files"] = [{"name": "gpt4.json", "sha256": "0" * 64, "bytes": 1}]
    of_campaign.save()
    for query in ("", "?format=card-md"):
        assert b"gpt4" not in signed_in(cast.rita).get(CARD + query).content
        assert b"gpt4" in signed_in(cast.ada).get(CARD + query).content


def test_who_rates_in_the_open_campaign_is_shown_no_labels(
    cast: Any, of_campaign: DatasetVersion
) -> None:
    Membership.objects.create(user=cast.ada, campaign=cast.campaign, role="annotator")
    for path in (EXPORT, CARD):
        answer = signed_in(cast.ada).get(path)
        assert answer.status_code == 403
        assert "rate in this open campaign" in answer.content.decode()
    assert not AuditEvent.objects.filter(action="dataset.exported").exists()


def test_a_dataset_of_no_campaign_is_for_any_admin(cast: Any, version: DatasetVersion) -> None:
    assert signed_in(cast.ada).get(EXPORT).status_code == 200
    assert signed_in(cast.rita).get(EXPORT).status_code == 403
    assert signed_in(cast.rita).get(CARD).status_code == 200
