"""Agreement over REST: read with its age, asked for by POST, without names."""

import json
from typing import Any

import pytest

from annotator.models import ReliabilityReport
from annotator.reliability.services import carry_out_reliability
from core.jobs.rows import JobStatus
from tests.annotator.rating_rows import random_ratings, rate
from tests.conftest import grant, make_user

pytestmark = pytest.mark.django_db

PATH = "campaigns/cups/agreement/"


@pytest.fixture(autouse=True)
def rung(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    found: list[Any] = []
    monkeypatch.setattr("annotator.reliability.api.enqueue_on_commit", found.append)
    return found


@pytest.fixture
def rated(cast) -> Any:
    dave = grant(make_user("dave"), cast.campaign, "annotator")
    random_ratings(cast, [cast.alice, cast.bob, dave])
    return cast


def worked_out(call: Any, user: Any) -> dict[str, Any]:
    call(user, "post", PATH)
    carry_out_reliability(ReliabilityReport.objects.get().pk)
    answer: dict[str, Any] = call(user, "get", PATH).json()
    return answer


def test_a_get_writes_nothing_and_says_how_to_ask(cast, call) -> None:
    answer = call(cast.rita, "get", PATH)
    assert answer.status_code == 200
    assert answer.json()["status"] == "none" and "POST" in answer.json()["message"]
    assert answer.json()["result"] is None
    assert not ReliabilityReport.objects.exists()


def test_a_post_queues_one_job_and_then_gives_what_there_is(rated, call, rung) -> None:
    first = call(rated.rita, "post", PATH)
    assert (first.status_code, first.json()["status"]) == (202, JobStatus.QUEUED)
    assert call(rated.ada, "post", PATH).status_code == 202
    assert len({row.pk for row in rung}) == 1
    carry_out_reliability(rung[0].pk)
    again = call(rated.rita, "post", PATH)
    assert (again.status_code, again.json()["status"]) == (200, JobStatus.SUCCEEDED)
    assert len(rung) == 2


def test_the_last_result_comes_with_its_age_and_what_changed_since(rated, call) -> None:
    fresh = worked_out(call, rated.rita)
    assert fresh["is_current"] and fresh["since"] == {}
    assert fresh["input_sha256"] == fresh["result_sha256"]
    assert fresh["age_seconds"] >= 0
    rate(rated.alice, rated.reference("new").candidates.first(), (5, 5, 5, 5))
    later = call(rated.rita, "get", PATH).json()
    assert not later["is_current"] and later["since"] == {"ratings": 1}
    assert later["result"] == fresh["result"]


@pytest.mark.parametrize("name", ["ada", "rita"])
def test_no_answer_holds_a_name_or_an_id_of_an_annotator(rated, call, name: str) -> None:
    answer = worked_out(call, getattr(rated, name))
    text = json.dumps(answer)
    assert answer["result"]["annotators"] == ["Annotator 1", "Annotator 2", "Annotator 3"]
    for user in (rated.alice, rated.bob):
        assert user.username not in text and str(user.pk) not in text
    people = answer["result"]["criteria"][-1]["severity"]["people"]
    assert {one["annotator"] for one in people} == set(answer["result"]["annotators"])


def test_researchers_are_shown_nothing_of_each_of_two(cast, call) -> None:
    random_ratings(cast, [cast.alice, cast.bob])
    result = worked_out(call, cast.rita)["result"]
    assert result["annotators"] == []
    for entry in result["criteria"]:
        assert entry["pairs"] == entry["drift"] == entry["others"] == []
        assert entry["severity"]["people"] == []
        assert entry["figures"][0]["value"] is not None
    of_admin = call(cast.ada, "get", PATH).json()["result"]
    assert len(of_admin["criteria"][0]["severity"]["people"]) == 2


@pytest.mark.parametrize(("name", "status"), [("alice", 403), ("carol", 403), ("mallory", 404)])
@pytest.mark.parametrize("method", ["get", "post"])
def test_others_are_refused(cast, call, name: str, status: int, method: str) -> None:
    assert call(getattr(cast, name), method, PATH).status_code == status
    assert not ReliabilityReport.objects.exists()


def test_who_rates_in_the_open_campaign_is_refused(cast, call) -> None:
    grant(cast.alice, cast.campaign, "researcher")
    answer = call(cast.alice, "get", PATH)
    assert answer.status_code == 403 and "closed" in answer.json()["detail"]


def test_an_admin_elsewhere_who_only_rates_here_is_refused(cast, call) -> None:
    grant(cast.alice, cast.elsewhere, "admin")
    assert call(cast.alice, "get", PATH).status_code == 403


def test_the_schema_describes_it(cast, client) -> None:
    client.force_login(cast.rita)
    text = client.get("/api/v1/schema/?format=json").content.decode()
    assert "campaigns/{slug}/agreement/" in text
