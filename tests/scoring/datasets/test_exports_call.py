import json
from typing import Any

import pytest
from django.test import Client

from annotator.accounts.sessions import create_token
from annotator.models import AuditEvent, Membership
from scoring import files as scoring_files
from scoring.models import DatasetVersion
from tests.scoring.conftest import shown

pytestmark = pytest.mark.django_db
BASE = "/api/v1/datasets/tiny/versions/1/"


@pytest.fixture
def ada(cast: Any, of_campaign: DatasetVersion) -> Client:
    token = create_token(user=cast.ada).token
    return Client(headers={"Authorization": f"Token {token}"}, raise_request_exception=False)


def test_every_format_is_given_whatever_the_client_accepts(ada, of_campaign) -> None:
    stored = scoring_files.dataset_path(of_campaign.sha256).read_bytes()
    for accept in ("*/*", "application/jsonl", "text/csv", "nonsense"):
        answer = ada.get(f"{BASE}export/", headers={"Accept": accept})
        assert answer.getvalue() == stored
        assert answer["Content-Disposition"] == 'attachment; filename="tiny-1.jsonl"'
    items = json.loads(ada.get(f"{BASE}export/?format=patent-ce-json&split=test").getvalue())
    assert len(items) == 3
    assert items[0].keys() == {"gold_claim", "A", "B", "human_eval"}
    answer = ada.get(f"{BASE}export/?format=csv&gzip=1")
    assert answer["Content-Type"] == "application/gzip"
    assert AuditEvent.objects.filter(action="dataset.exported").count() == 6


def test_a_mistake_is_a_400_by_field(ada) -> None:
    # DRF gives `format` and `limit` a meaning of its own elsewhere.
    for field in ("format=api", "limit=3"):
        answer = ada.get(f"{BASE}export/?{field}")
        assert answer.status_code == 400
        assert list(answer.json()) == [field.partition("=")[0]]
        assert answer["Content-Type"] == "application/json"


def test_a_damaged_file_is_a_400_with_the_reason(ada, of_campaign) -> None:
    scoring_files.dataset_path(of_campaign.sha256).write_bytes(b"{}\n")
    assert "was changed" in shown(ada, f"{BASE}export/?format=csv", 400)


def test_the_card_is_read_by_researchers_and_the_rows_are_not(cast, rita, of_campaign) -> None:
    assert rita.get(f"{BASE}card/").json()["dataset"] == "tiny"
    assert shown(rita, f"{BASE}card/?format=card-md").startswith("# tiny")
    sums = shown(rita, f"{BASE}card/?format=sha256sums")
    assert f"{of_campaign.sha256}  tiny-1.jsonl\n" in sums
    shown(rita, f"{BASE}card/?format=csv", 400)
    shown(rita, "/api/v1/datasets/tiny/versions/2/card/", 404)
    # Nor does being an admin elsewhere help.
    Membership.objects.create(user=cast.rita, campaign=cast.elsewhere, role="admin")
    shown(rita, f"{BASE}export/", 403)
