"""The REST doors of datasets, runs and models; what all doors do with a bad body."""

import json
from typing import Any

import pytest
from django.test import Client

from annotator.models import User
from scoring.models import DatasetVersion, TrainingRun

pytestmark = [pytest.mark.django_db]
CRITERION = "feature_completeness"


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def post(client: Client, path: str, body: object) -> tuple[int, Any]:
    answer = client.post(path, json.dumps(body), content_type="application/json")
    return answer.status_code, answer.json()


def test_a_run_is_queued_followed_and_cancelled(cast: Any, version: DatasetVersion) -> None:
    rita = signed_in(cast.rita)
    body = {"dataset": "tiny@1", "criterion": CRITERION, "seed": 3}
    status, run = post(rita, "/api/v1/training-runs/", body)
    assert (status, run["status"], run["progress"]) == (202, "queued", 0.0)
    assert TrainingRun.objects.get().settings["seed"] == 3
    assert rita.get(f"/api/v1/training-runs/{run['id']}/").json() == run
    status, cancelled = post(rita, f"/api/v1/training-runs/{run['id']}/cancel/", {})
    assert (status, cancelled["status"]) == (202, "cancelled")
    status, _ = post(rita, f"/api/v1/training-runs/{run['id']}/cancel/", {})
    assert status == 409


@pytest.mark.parametrize(
    "wrong",
    [
        {"learning_rate": 0},
        {"learning_rate": -1},
        {"learning_rate": "1e-5"},
        {"epochs": True},
        {"criterion": "beauty"},
        {"dataset": "nothing"},
        {"dataset": ["tiny"]},
        {"output_dir": "/etc"},
        {"allow_download": True},
        {"trust_remote_code": True},
        {"encoder": "/etc"},
        {"encoder": "../.."},
        {"encoder": "allenai/longformer-base-4096"},
    ],
)
def test_a_bad_training_request_is_a_400_by_field_and_queues_nothing(
    cast: Any, version: DatasetVersion, wrong: dict[str, Any]
) -> None:
    body = {"dataset": "tiny", "criterion": CRITERION} | wrong
    status, answer = post(signed_in(cast.rita), "/api/v1/training-runs/", body)
    assert status == 400, answer
    assert set(answer) == set(wrong)
    assert not TrainingRun.objects.exists()


@pytest.mark.parametrize("body", [[], "text", 7, None])
def test_a_body_that_is_no_object_is_a_400(
    cast: Any, version: DatasetVersion, body: object
) -> None:
    for path in ("/api/v1/training-runs/", "/api/v1/reports/", "/api/v1/datasets/"):
        assert post(signed_in(cast.rita), path, body)[0] == 400, path


@pytest.mark.parametrize(
    "wrong",
    [
        {"test_share": 2},
        {"test_share": "0.1"},
        {"include_unlocked": "maybe"},
        {"include_unlocked": "true"},
        {"include_unlocked": 1},
        {"include_unlocked": None},
    ],
)
def test_a_freeze_names_the_wrong_field(cast: Any, wrong: dict[str, Any]) -> None:
    status, answer = post(signed_in(cast.rita), "/api/v1/datasets/", {"campaign": "cups"} | wrong)
    assert status == 400
    assert set(answer) == set(wrong)
    assert not DatasetVersion.objects.exists()
