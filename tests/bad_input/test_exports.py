"""What leaves: cells that no spreadsheet runs, names that lead nowhere, and who has taken it."""

import csv
import io
import json
from datetime import timedelta
from typing import Any, Final
from urllib.parse import quote
from uuid import uuid4

import pytest
from django.utils import timezone

from annotator.models import AuditEvent, Campaign, Membership, User
from scoring.models import DatasetVersion, ModelVersion
from tests.annotator.rating_rows import rate
from tests.conftest import signed_in
from tests.scoring.model_rows import model_row

pytestmark = pytest.mark.django_db
RATINGS: Final = "/campaigns/cups/ratings/export/"
# EX01-EX06 and their siblings: what a spreadsheet takes for a formula, whatever stands before it.
FORMULAS: Final = (
    *("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "\u00a0=1", "\u200b=1"),
    *("\uff1d1+1", "\uff0b1", "\uff0d1", "\uff201", "\ufeff=1", "\u202e=1", "=cmd|' /C calc'!A0"),
    *("\x00=1".replace("\x00", "\x01"), '=HYPERLINK("http://a.example","x")', "\u3000\uff1d1"),
)


def content(answer: Any) -> bytes:
    return b"".join(answer.streaming_content)


def close(campaign: Campaign) -> None:
    closed = {"status": "closed", "closed_at": timezone.now() - timedelta(days=1)}
    Campaign.objects.filter(pk=campaign.pk).update(**closed)


def test_no_cell_of_a_table_is_a_formula_and_json_has_the_text_as_it_was(cast: Any) -> None:
    """EX01-EX06: an apostrophe in CSV, named in its last column; JSON Lines untouched."""
    candidates = [c for n in range(7) for c in cast.reference(f"r{n}").candidates.all()]
    for candidate, formula in zip(candidates, FORMULAS, strict=False):
        rate(cast.alice, candidate, (9, 8, 7, 6), comment=formula)
    ada = signed_in(cast.ada)
    text = content(ada.post(RATINGS, {"format": "csv"})).decode()
    rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    assert len(rows) == len(FORMULAS)
    assert {row["comment"] for row in rows} == {f"'{formula}" for formula in FORMULAS}
    assert all("comment" in row["apostrophe_put_before"].split() for row in rows)
    lines = content(ada.post(RATINGS, {"format": "jsonl"})).split(b"\n")[:-1]
    assert {json.loads(line)["comment"] for line in lines} == set(FORMULAS)


def test_a_file_says_it_is_confidential_and_of_whom(cast: Any, version: DatasetVersion) -> None:
    """The wrong copy shown in public: notice, who, when and count go with every download."""
    rate(cast.alice, cast.reference("r1").candidates.all()[0], (9, 8, 7, 6))
    User.objects.filter(pk=cast.ada.pk).update(username="ådå\u202e")
    ada = signed_in(User.objects.get(pk=cast.ada.pk))
    found = {
        "ratings": ada.post(RATINGS, {"format": "jsonl"}),
        "dataset": ada.get("/datasets/tiny/1/export/?format=csv&split=test"),
        "api": ada.get("/api/v1/datasets/tiny/versions/1/export/"),
    }
    for name, answer in found.items():
        assert answer.status_code == 200, name
        assert answer["Export-Notice"].startswith("Confidential"), name
        assert answer["Export-By"] == quote("ådå\u202e"), name
        assert answer["Export-At"].endswith("Z"), name
        assert int(answer["Export-Records"]) == content(answer).count(b"\n") - (name == "dataset")
    assert "Repr-Digest" in found["ratings"]


def test_what_is_another_campaigns_is_not_found(cast: Any, version: DatasetVersion) -> None:
    """EX08: another's export, and one that never was, are answered alike."""
    Membership.objects.create(user=cast.mallory, campaign=cast.elsewhere, role="admin")
    mallory, model = signed_in(cast.mallory), model_row(version)
    for theirs, nobodys in (
        ("/datasets/tiny/1/export/", "/datasets/none/1/export/"),
        (f"/models/{model.pk}/download/", f"/models/{uuid4()}/download/"),
        (RATINGS, "/campaigns/none/ratings/export/"),
    ):
        answers = [mallory.get(path) for path in (theirs, nobodys)]
        assert [answer.status_code for answer in answers] == [404, 404], theirs
        assert answers[0].content == answers[1].content, theirs


def test_an_address_ends_with_the_role(cast: Any, version: DatasetVersion) -> None:
    """EX09: a link that worked yesterday shows nothing once the role is gone."""
    ada, path = signed_in(cast.ada), "/datasets/tiny/1/export/"
    assert ada.get(path).status_code == 200
    Membership.objects.filter(user=cast.ada).update(campaign=cast.elsewhere)
    assert ada.get(path).status_code == 404
    assert ada.post(RATINGS, {"format": "csv"}).status_code == 404
    assert AuditEvent.objects.filter(action="dataset.exported").count() == 1


def test_a_report_of_two_is_withheld_from_one_of_them(cast: Any) -> None:
    """EX16: whoever knows their own ratings would know the other's by subtraction."""
    Membership.objects.create(user=cast.alice, campaign=cast.campaign, role="researcher")
    for person, name in ((cast.alice, "r1"), (cast.bob, "r2")):
        for candidate in cast.reference(name).candidates.all():
            rate(person, candidate, (9, 8, 7, 6))
    alice = signed_in(cast.alice)
    answer = alice.post(RATINGS, {"format": "jsonl"})
    assert answer.status_code in (403, 409)
    page = alice.get("/campaigns/cups/reliability/").content.decode()
    assert "alpha" not in page.lower() or "You rate in this campaign" in page


def test_no_model_is_uploaded_and_models_are_only_read(cast: Any, version: DatasetVersion) -> None:
    """MA: a model comes into being by a training here (ADR 0021); there is no other way in."""
    model, ada = model_row(version), signed_in(cast.ada)
    for path in ("/models/", f"/models/{model.pk}/", f"/models/{model.pk}/download/"):
        for method in ("post", "put", "patch", "delete"):
            assert getattr(ada, method)(path).status_code in (403, 405), (method, path)
    assert ada.post("/api/v1/models/", {"file": "x"}).status_code in (403, 405)
    assert ModelVersion.objects.count() == 1
