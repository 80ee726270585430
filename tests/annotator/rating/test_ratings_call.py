"""Rating over REST."""

import json
import uuid
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotator.models import Assignment, Campaign, Rating, RatingRevision
from annotator.rubric import CRITERIA

FIRST = CRITERIA[0]
NEXT = "campaigns/cups/assignments/next/"


def body(row: Assignment | str, *values: object, **more: object) -> dict[str, object]:
    scores = dict(zip(CRITERIA, values or (7, 5, 9, 10), strict=True))
    return {"assignment": str(getattr(row, "pk", row)), "scores": scores} | more


@pytest.fixture
def row(cast) -> Assignment:
    return cast.assign(cast.alice, cast.reference())[0]


def test_next_leases_a_candidate_with_all_that_rating_needs(cast, call) -> None:
    reference = cast.reference("r1", 1)
    answer = call(cast.alice, "post", NEXT)
    said = answer.json()
    assert answer.status_code == 200
    assert said["reference"]["claims"] == reference.claims
    assert set(said["candidate"]) == {"label", "claims"}
    assert [entry["key"] for entry in said["rubric"]["criteria"]] == list(CRITERIA)
    assert said["lease_expires_at"] > timezone.now().isoformat()
    assert call(cast.alice, "post", NEXT).json()["id"] == said["id"]


def test_next_is_204_when_nothing_is_left(cast, call) -> None:
    answer = call(cast.alice, "post", NEXT)
    assert (answer.status_code, answer.content) == (204, b"")


def test_next_of_a_closed_campaign_is_409(cast, call) -> None:
    Campaign.objects.update(status="closed")
    assert call(cast.alice, "post", NEXT).status_code == 409


def test_a_rating_is_201_with_its_exact_overall(cast, call, row) -> None:
    answer = call(cast.alice, "post", "ratings/", body(row, comment="c"), Idempotency_Key="k")
    said = answer.json()
    assert answer.status_code == 201
    assert said["overall_quality"] == {"numerator": 86, "value": 7.82}
    assert (said["version"], answer["ETag"]) == (1, '"1"')
    assert Rating.objects.get().comment == "c"


def test_the_same_key_and_body_give_the_same_answer_and_one_row(cast, call, row) -> None:
    answers = [
        call(cast.alice, "post", "ratings/", body(row), Idempotency_Key="k") for _ in range(3)
    ]
    assert [answer.status_code for answer in answers] == [201] * 3
    assert len({answer.content for answer in answers}) == 1
    assert RatingRevision.objects.count() == 1


def test_a_key_used_for_another_body_is_409_and_the_first_stays(cast, call, row) -> None:
    call(cast.alice, "post", "ratings/", body(row), Idempotency_Key="k")
    answer = call(cast.alice, "post", "ratings/", body(row, 1, 1, 1, 1), Idempotency_Key="k")
    assert answer.status_code == 409
    assert Rating.objects.get().overall_numerator == 86


def test_another_rating_of_the_same_assignment_is_409(cast, call, row) -> None:
    call(cast.alice, "post", "ratings/", body(row), Idempotency_Key="k1")
    answer = call(cast.alice, "post", "ratings/", body(row), Idempotency_Key="k2")
    assert answer.status_code == 409


@pytest.mark.parametrize("bad", [10.5, -1, 11, "", "9", 9.0, True, [9], {"a": 1}, None])
def test_a_bad_score_is_400_by_field_and_stores_nothing(cast, call, row, bad: object) -> None:
    answer = call(cast.alice, "post", "ratings/", body(row, bad, 5, 5, 5))
    assert answer.status_code == 400
    assert list(answer.json()["scores"]) == [FIRST]
    assert not Rating.objects.exists()


def test_minus_zero_is_no_score(cast, call, row) -> None:
    sent = json.dumps(body(row, 0, 5, 5, 5)).replace(": 0", ": -0")
    client = Client()
    client.force_login(cast.alice)
    answer = client.post("/api/v1/ratings/", sent, content_type="application/json")
    assert (answer.status_code, "-0" in answer.content.decode()) == (400, True)
    assert not Rating.objects.exists()


@pytest.mark.parametrize(
    "change",
    [
        {"scores": {}},
        {"scores": dict.fromkeys((*CRITERIA, "novelty"), 5)},
        {"scores": dict.fromkeys(CRITERIA[1:], 5)},
        {"scores": 5},
        {"assignment": 5},
        {"assignment": "x"},
        {"comment": 5},
        {"comment": None},
        {"comment": "x" * 20_001},
        {"error_tags": "x"},
        {"error_tags": [1] * 201},
        {"scroe": 1},
    ],
)
def test_a_bad_body_is_400_naming_the_field(cast, call, row, change: dict[str, object]) -> None:
    answer = call(cast.alice, "post", "ratings/", body(row) | change)
    assert answer.status_code == 400
    assert list(answer.json()) == list(change)
    assert not Rating.objects.exists()


def test_a_key_that_is_too_long_is_400(cast, call, row) -> None:
    answer = call(cast.alice, "post", "ratings/", body(row), Idempotency_Key="k" * 201)
    assert list(answer.json()) == ["Idempotency-Key"]


def test_anothers_assignment_is_answered_as_one_that_does_not_exist(cast, call, row) -> None:
    answers = [call(cast.bob, "post", "ratings/", body(r)) for r in (row, str(uuid.uuid4()))]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert answers[0].content == answers[1].content


@pytest.fixture
def rating(cast, row) -> Rating:
    return cast.submit(row, comment="first")


def test_a_revision_needs_the_version_it_revises(cast, call, rating) -> None:
    path = f"ratings/{rating.pk}/"
    assert call(cast.alice, "patch", path, {"comment": "x"}).status_code == 428
    for stale in ('"2"', '"0"', "*", "x", '"1", "2"', '"' + "9" * 99 + '"'):
        assert call(cast.alice, "patch", path, {"comment": "x"}, If_Match=stale).status_code == 412
    assert Rating.objects.get().comment == "first"


def test_a_revision_changes_what_it_names_and_keeps_the_rest(cast, call, rating) -> None:
    path = f"ratings/{rating.pk}/"
    answer = call(cast.alice, "patch", path, {"comment": "second"}, If_Match='"1"')
    assert (answer.status_code, answer["ETag"]) == (200, '"2"')
    assert answer.json()["overall_quality"]["numerator"] == 55
    values = dict.fromkeys(CRITERIA, 8)
    answer = call(cast.alice, "patch", path, {"scores": values}, If_Match=answer["ETag"])
    assert (answer.json()["comment"], answer.json()["scores"]) == ("second", values)
    assert call(cast.alice, "get", path).json() == answer.json()
    assert RatingRevision.objects.count() == 3


def test_the_web_and_the_api_cannot_overwrite_each_other(cast, call, client, rating) -> None:
    client.force_login(cast.alice)
    values = dict.fromkeys(CRITERIA, "9") | {"version": "1"}
    assert client.post(f"/rate/{rating.assignment_id}/", values).status_code == 303
    answer = call(cast.alice, "patch", f"ratings/{rating.pk}/", {"comment": "x"}, If_Match='"1"')
    assert answer.status_code == 412


def test_a_locked_rating_is_409(cast, call) -> None:
    long_ago = timezone.now() - timedelta(days=3)
    reference = cast.reference("r1", 1)
    for user in (cast.alice, cast.bob):
        made = cast.submit(cast.assign(user, reference)[0], submitted_at=long_ago)
    answer = call(cast.bob, "patch", f"ratings/{made.pk}/", {"comment": "x"}, If_Match='"1"')
    assert answer.status_code == 409


def test_anothers_rating_is_not_found(cast, call, rating) -> None:
    path = f"ratings/{rating.pk}/"
    assert call(cast.bob, "get", path).status_code == 404
    assert call(cast.bob, "patch", path, {"comment": "x"}, If_Match='"1"').status_code == 404
