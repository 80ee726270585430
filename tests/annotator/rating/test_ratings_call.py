import uuid

import pytest
from django.utils import timezone

from annotator.models import Assignment, Campaign, Rating, RatingRevision
from patclaimeval.rubric import CRITERIA

FIRST = CRITERIA[0]
NEXT = "campaigns/cups/assignments/next/"


def body(row: Assignment | str, *values: object, **more: object) -> dict[str, object]:
    scores = dict(zip(CRITERIA, values or (7, 5, 9, 10), strict=True))
    return {"assignment": str(getattr(row, "pk", row)), "scores": scores} | more


@pytest.fixture
def row(cast) -> Assignment:
    return cast.assign(cast.alice, cast.reference())[0]


def test_next_leases_a_candidate_with_all_that_rating_needs(cast, call) -> None:
    answer = call(cast.alice, "post", NEXT)
    assert (answer.status_code, answer.content) == (204, b"")
    reference = cast.reference("r1", 1)
    answer = call(cast.alice, "post", NEXT)
    leased = answer.json()
    assert answer.status_code == 200
    assert leased["reference"]["claims"] == reference.claims
    assert set(leased["candidate"]) == {"label", "claims"}
    assert [entry["key"] for entry in leased["rubric"]["criteria"]] == list(CRITERIA)
    assert leased["lease_expires_at"] > timezone.now().isoformat()
    assert call(cast.alice, "post", NEXT).json()["id"] == leased["id"]


def test_a_rating_is_201_with_its_exact_overall(cast, call, row) -> None:
    answer = call(cast.alice, "post", "ratings/", body(row, comment="c"), Idempotency_Key="k")
    assert answer.status_code == 201
    assert answer.json()["overall_quality"] == {"numerator": 86, "value": 7.82}
    assert (answer.json()["version"], answer["ETag"]) == (1, '"1"')
    assert Rating.objects.get().comment == "c"


def test_a_key_that_is_too_long_is_400(cast, call, row) -> None:
    answer = call(cast.alice, "post", "ratings/", body(row), Idempotency_Key="k" * 201)
    assert list(answer.json()) == ["Idempotency-Key"]


def test_anothers_assignment_is_answered_as_one_that_does_not_exist(cast, call, row) -> None:
    answers = [call(cast.bob, "post", "ratings/", body(r)) for r in (row, str(uuid.uuid4()))]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert answers[0].content == answers[1].content
    rating = f"ratings/{cast.submit(row).pk}/"
    assert call(cast.bob, "get", rating).status_code == 404
    assert call(cast.bob, "patch", rating, {"comment": "x"}, If_Match='"1"').status_code == 404


@pytest.fixture
def rating(cast, row) -> Rating:
    return cast.submit(row, comment="first")


def test_a_revision_needs_the_version_it_revises_and_an_open_campaign(cast, call, rating) -> None:
    path = f"ratings/{rating.pk}/"
    assert call(cast.alice, "patch", path, {"comment": "x"}).status_code == 428
    for stale in ('"2"', '"0"', "*", "x", '"1", "2"', '"' + "9" * 99 + '"'):
        assert call(cast.alice, "patch", path, {"comment": "x"}, If_Match=stale).status_code == 412
    Campaign.objects.update(status="closed")
    assert call(cast.alice, "patch", path, {"comment": "x"}, If_Match='"1"').status_code == 409
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
