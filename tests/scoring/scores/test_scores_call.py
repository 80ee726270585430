from typing import Any
from uuid import UUID

import pytest
from django.test import Client

from scoring.models import ScoreRequest
from scoring.scores.services import carry_out_scores
from tests.scoring.conftest import signed_in
from tests.scoring.model_builders import CRITERION, know, make_model

pytestmark = pytest.mark.django_db
SCORE = "/api/v1/score/"
TEXTS = {"reference": "1. A housing.", "candidates": ["1. A pump.", "1. A lever."]}
SENT = TEXTS | {"criteria": [CRITERION]}


def post(client: Client, path: str = SCORE, **body: Any) -> Any:
    return client.post(path, body, content_type="application/json")


def beside(model: str, threshold: float, n: int, tau: float | None, **more: Any) -> dict[str, Any]:
    """Return what stands beside a score."""
    measured = {"n": n, "tau_b": tau, "low": None, "high": None, "is_unseen_references": False}
    return {"model": model, "tie_threshold": threshold, "validation": measured, "error": ""} | more


def test_scores_from_the_cache_come_at_once_with_model_threshold_and_validation(
    cast, model
) -> None:
    know(model, "1. A housing.", {"1. A pump.": 0.75, "1. A lever.": 0.25})
    answer = post(signed_in(cast.rita), **SENT)
    assert answer.status_code == 200
    facts = beside(str(model.pk), 0.1, 12, 0.5, criterion=CRITERION)
    assert answer.json()["candidates"] == [
        {"candidate": 1, "scores": [facts | {"score": 0.75}]},
        {"candidate": 2, "scores": [facts | {"score": 0.25}]},
    ]
    assert "pump" not in answer.content.decode()


def test_what_no_cache_knows_is_a_job_to_be_asked_after(cast, model) -> None:
    client = signed_in(cast.rita)
    answer = post(client, **SENT)
    assert answer.status_code == 202
    row = answer.json()
    assert (row["status"], row["candidates"]) == ("queued", [])
    carry_out_scores(row["id"])
    later = client.get(f"{SCORE}{row['id']}/")
    assert later.json()["status"] == "failed"
    assert "lacks" in later.json()["message"]


def test_a_request_is_its_askers_alone_and_theirs_to_delete(cast, model) -> None:
    rita, ada = signed_in(cast.rita), signed_in(cast.ada)
    address = f"{SCORE}{post(rita, **SENT).json()['id']}/"
    assert ada.get(address).status_code == 404
    assert ada.delete(address).status_code == 404
    assert signed_in(cast.alice).get(address).status_code == 403
    assert rita.delete(address).status_code == 204
    assert rita.get(address).status_code == 404
    assert not ScoreRequest.objects.exists()


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "reference"),
        ({"reference": "x"}, "candidates"),
        (SENT | {"reference": 7}, "reference"),
        (SENT | {"candidates": "x"}, "candidates"),
        (SENT | {"candidates": ["x", None]}, "candidates"),
        (SENT | {"candidates": []}, "candidates"),
        (SENT | {"criteria": CRITERION}, "criteria"),
        (SENT | {"criteria": ["beauty"]}, "criteria"),
        (SENT | {"model": "x"}, "model"),
    ],
)
def test_bad_values_get_400_by_field(cast, model, body, field) -> None:
    answer = post(signed_in(cast.rita), **body)
    assert answer.status_code == 400
    assert field in answer.json()
    assert not ScoreRequest.objects.exists()


def test_a_promotion_is_asked_for_and_agreed_to_over_the_api(cast, version) -> None:
    model = make_model(version)
    address = f"/api/v1/models/{model.pk}/promote/"
    rita, ada = signed_in(cast.rita), signed_in(cast.ada)
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
def test_a_bad_promotion_gets_400_by_field(cast, version, body, field) -> None:
    address = f"/api/v1/models/{make_model(version).pk}/promote/"
    answer = post(signed_in(cast.rita), address, **body)
    assert (answer.status_code, list(answer.json())) == (400, [field])


def test_a_model_out_of_scope_is_not_found(cast, version) -> None:
    answer = post(signed_in(cast.rita), f"/api/v1/models/{UUID(int=7)}/promote/", reason="x")
    assert answer.status_code == 404
