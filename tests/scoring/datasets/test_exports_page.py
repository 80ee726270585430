import gzip
import hashlib
import json

import pytest

from annotator.models import AuditEvent, Membership
from scoring import files as scoring_files
from tests.scoring.conftest import shown, signed_in

pytestmark = pytest.mark.django_db
EXPORT, CARD = "/datasets/tiny/1/export/", "/datasets/tiny/1/card/"
JSON_LINES = "application/jsonl; charset=utf-8"


@pytest.mark.parametrize(
    ("query", "name", "media_type"),
    [
        ("", "tiny-1.jsonl", JSON_LINES),
        ("?format=patent-ce-jsonl&split=test", "tiny-1-test.jsonl", JSON_LINES),
        ("?format=patent-ce-json", "tiny-1.json", "application/json"),
        ("?format=patent-ce-json&gzip=1", "tiny-1.json.gz", "application/gzip"),
        ("?format=csv&split=all", "tiny-1.csv", "text/csv; charset=utf-8; header=present"),
        ("?format=csv&split=train&gzip=1", "tiny-1-train.csv.gz", "application/gzip"),
    ],
)
def test_a_download_has_its_name_and_type_and_is_on_record(
    cast, ada, of_campaign, query, name, media_type
) -> None:
    answer = ada.get(EXPORT + query)
    assert answer.status_code == 200
    assert answer["Content-Disposition"] == f'attachment; filename="{name}"'
    assert answer["Content-Type"] == media_type
    assert answer.getvalue()
    event = AuditEvent.objects.get(action="dataset.exported")
    assert (event.actor, event.campaign) == (cast.ada, cast.campaign)
    assert event.object_id == str(of_campaign.pk)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("?format=xml", "format"),
        ("?format=", "format"),
        ("?format=card-json", "format"),
        ("?split=half", "split"),
        ("?gzip=yes", "gzip"),
        ("?gzip=", "gzip"),
        ("?splt=test", "splt"),
        ("?format=csv&format=csv", "format"),
        ("?split=%00", "split"),
        ("?format=" + "x" * 3000, "format"),
    ],
)
def test_what_cannot_be_asked_for_is_refused_by_name(ada, of_campaign, query, field) -> None:
    assert field in shown(ada, EXPORT + query, 400)
    assert not AuditEvent.objects.filter(action="dataset.exported").exists()


@pytest.mark.parametrize("query", ["?format=csv", "?split=test", "?format=card-md&format=card-md"])
def test_a_card_that_cannot_be_asked_for_is_refused(rita, of_campaign, query) -> None:
    shown(rita, CARD + query, 400)


@pytest.mark.parametrize("damage", ["changed", "missing"])
def test_a_damaged_file_gives_a_reason_and_no_part_of_it(ada, of_campaign, damage) -> None:
    path = scoring_files.dataset_path(of_campaign.sha256)
    content = path.read_bytes()
    path.unlink()
    if damage == "changed":
        path.write_bytes(content.replace(b"machine5", b"machine4"))
    answer = ada.get(EXPORT)
    assert answer.status_code == 422
    assert damage in answer.content.decode() and b"housing" not in answer.content
    assert "Content-Disposition" not in answer


def test_researchers_read_the_card_and_admins_take_the_rows(cast, rita, of_campaign) -> None:
    answer = rita.get(CARD)
    assert answer["Content-Disposition"] == 'attachment; filename="tiny-1.card.json"'
    assert json.loads(answer.content)["sha256"] == of_campaign.sha256
    assert b"housing" not in answer.content
    answer = rita.get(CARD + "?format=card-md")
    assert answer["Content-Type"] == "text/markdown; charset=utf-8"
    assert answer.content.decode().startswith("# tiny, version 1\n")
    # Nor does being an admin elsewhere help.
    Membership.objects.create(user=cast.rita, campaign=cast.elsewhere, role="admin")
    assert "Only admins of the campaign" in shown(rita, EXPORT, 403)
    assert not AuditEvent.objects.filter(action="dataset.exported").exists()


def test_the_sums_and_the_stored_rows_fit_what_is_downloaded(ada, of_campaign) -> None:
    stored = scoring_files.dataset_path(of_campaign.sha256).read_bytes()
    assert stored == gzip.decompress(ada.get(EXPORT + "?gzip=1").getvalue())
    lines = shown(ada, CARD + "?format=sha256sums").splitlines()
    files = {
        "tiny-1.jsonl": EXPORT,
        "tiny-1.card.json": CARD,
        "tiny-1.card.md": CARD + "?format=card-md",
    }
    assert {name: digest for digest, name in (line.split("  ") for line in lines)} == {
        name: hashlib.sha256(ada.get(path).getvalue()).hexdigest() for name, path in files.items()
    }


def test_who_rates_in_the_open_campaign_gets_no_labels(cast, ada, of_campaign) -> None:
    Membership.objects.create(user=cast.ada, campaign=cast.campaign, role="annotator")
    for path in (EXPORT, CARD):
        assert "rate in this open campaign" in shown(ada, path, 403)
    assert not AuditEvent.objects.filter(action="dataset.exported").exists()


def test_a_dataset_of_no_campaign_is_for_any_admin(cast, version) -> None:
    for user, path, status in (
        (cast.ada, EXPORT, 200),
        (cast.rita, EXPORT, 403),
        (cast.rita, CARD, 200),
    ):
        assert signed_in(user).get(path).status_code == status
