"""Scores over REST."""

from typing import Any

import pytest
from django.test import Client

from scoring.models import ScoreRequest
from scoring.scores.services import carry_out_scores
from tests.scoring.conftest import signed_in
from tests.scoring.model_builders import CRITERION, know, make_model

pytestmark = pytest.mark.django_db
SCORE = "/api/v1/score/"
SENT = {
    "reference": "1. A housing.",
    "candidates": ["1. A pump.", "1. A lever."],
    "criteria": [CRITERION],
}


def post(client: Client, path: str = SCORE, **body: Any) -> Any:
    return client.post(path, body, content_type="application/json")


def test_scores_from_the_cache_come_at_once_with_model_threshold_and_validation(
    rita, model
) -> None:
    know(model, "1. A housing.", {"1. A pump.": 0.75, "1. A lever.": 0.25})
    answer = post(rita, **SENT)
    assert answer.status_code == 200
    worth = {"n": 12, "tau_b": 0.5, "low": None, "high": None, "is_unseen_references": False}
    beside = {"criterion": CRITERION, "model": str(model.pk), "tie_threshold": 0.1}
    beside |= {"validation": worth, "error": ""}
    assert answer.json()["candidates"] == [
        {"candidate": 1, "scores": [beside | {"score": 0.75}]},
        {"candidate": 2, "scores": [beside | {"score": 0.25}]},
    ]
    assert "pump" not in answer.content.decode()


def test_what_no_cache_knows_is_a_job_to_be_asked_after(rita, model) -> None:
    answer = post(rita, **SENT)
    assert answer.status_code == 202
    said = answer.json()
    assert (said["status"], said["candidates"]) == ("queued", [])
    carry_out_scores(said["id"])
    later = rita.get(f"{SCORE}{said['id']}/")
    assert later.json()["status"] == "failed"
    assert "lacks" in later.json()["message"]


def test_a_request_is_its_askers_alone_and_theirs_to_delete(cast, rita, ada, model) -> None:
    address = f"{SCORE}{post(rita, **SENT).json()['id']}/"
    assert ada.get(address).status_code == 404
    assert ada.delete(address).status_code == 404
    assert signed_in(cast.alice).get(address).status_code == 403
    assert rita.delete(address).status_code == 204
    assert rita.get(address).status_code == 404
    assert not ScoreRequest.objects.exists()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("reference", value) for value in (None, 7)),
        *(("candidates", value) for value in (None, "x", ["x", None], [])),
        *(("criteria", value) for value in (CRITERION, ["beauty"], [])),
        ("model", "x"),
    ],
)
def test_bad_values_get_400_by_field(rita, model, field, value) -> None:
    answer = post(rita, **SENT | {field: value})
    assert answer.status_code == 400
    assert field in answer.json()
    assert not ScoreRequest.objects.exists()


def test_without_a_promoted_model_patclaimeval_0_answers(rita, version) -> None:
    said = post(rita, **SENT).json()
    carry_out_scores(said["id"])
    first, second = rita.get(f"{SCORE}{said['id']}/").json()["candidates"]
    (one,), (other,) = first["scores"], second["scores"]
    assert (one["model"], one["validation"]["n"], one["error"]) == ("patclaimeval-0", 0, "")
    assert 0 < other["score"] <= 1 and 0 < one["score"] <= 1


def test_a_promotion_is_asked_for_and_agreed_to_over_the_api(rita, ada, version) -> None:
    model = make_model(version)
    address = f"/api/v1/models/{model.pk}/promote/"
    unaware = post(rita, address, reason="Good.")
    assert unaware.status_code == 400
    assert "No agreement report" in " ".join(unaware.json()["is_aware"])
    asked = post(rita, address, reason="Good.", is_aware=True).json()
    assert (asked["is_promoted"], asked["is_asked_for"]) == (False, True)
    assert post(rita, address, reason="Good.").status_code == 403
    assert post(ada, address, reason="Read.").json()["is_promoted"]
    assert post(ada, address, act="withdraw", reason="Bad.").json()["is_promoted"] is False
    assert post(ada, address, act="withdraw", reason="Bad.").status_code == 409
    assert post(ada, address, act="decline", reason="Bad.").status_code == 409


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"act": "maybe"}, "act"),
        ({"reason": 7}, "reason"),
        ({"is_aware": "yes", "reason": "x"}, "is_aware"),
        ({"is_aware": True}, "reason"),
    ],
)
def test_a_bad_promotion_gets_400_by_field(rita, version, body, field) -> None:
    address = f"/api/v1/models/{make_model(version).pk}/promote/"
    answer = post(rita, address, **body)
    assert (answer.status_code, list(answer.json())) == (400, [field])
