"""The schedule of a campaign over REST."""

from typing import Any

import pytest
from django.test import Client

from annotator.accounts.sessions import create_token
from clients.patclaimeval_client import ApiError
from clients.patclaimeval_client import Client as Program
from scoring.models import Chain, Schedule
from tests.conftest import signed_in
from tests.scoring.schedules.conftest import CRITERION, Loop, go_round, made, sweep_at_once

pytestmark = [pytest.mark.django_db]
CALL = "/api/v1/campaigns/trial/schedule/"


@pytest.fixture
def rita(loop: Loop) -> Client:
    return signed_in(loop.rita)


def send(client: Client, **body: Any) -> Any:
    return client.post(CALL, {"dataset": "trial@1"} | body, content_type="application/json")


def test_before_any_it_answers_that_it_is_off(rita) -> None:
    found = rita.get(CALL).json()
    assert (found["is_on"], found["state"], found["chain"], found["dataset"]) == (
        *(False, "Off."),
        *(None, None),
    )


def test_a_program_switches_it_on_follows_a_chain_and_switches_it_off(loop, rita) -> None:
    answer = send(rita, after_settled=3, asks_with_concerns=True)
    assert answer.status_code == 201
    assert answer.json()["state"] == "Waiting for newly settled candidates: 0 of 3."
    assert send(rita, at_hour=1).status_code == 409
    loop.rated.rate_all(range(12, 20))
    sweep_at_once()
    assert rita.get(CALL).json()["chain"]["status"] == "freezing"
    chain = go_round()
    found = rita.get(CALL).json()["chain"]
    assert (found["status"], found["dataset"]) == ("done", "trial@2")
    (step,) = found["steps"]
    (row,) = chain.steps.all()
    assert step["criterion"] == CRITERION
    assert step["model"] == str(made(row).pk)
    assert step["outcome"] == "requested"
    answer = rita.delete(CALL)
    assert (answer.status_code, answer.json()["is_on"]) == (200, False)
    assert rita.delete(CALL).status_code == 409


def test_a_program_stops_a_chain(loop, rita) -> None:
    loop.switch_on()
    loop.rated.rate_all(range(12, 20))
    sweep_at_once()
    answer = rita.post(f"{CALL}stop/", content_type="application/json")
    assert (answer.status_code, answer.json()["chain"]["status"]) == (200, "stopped")
    assert answer.json()["is_on"]
    assert rita.post(f"{CALL}stop/", content_type="application/json").status_code == 409
    assert Chain.objects.count() == 1


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"after_settled": "3"}, "after_settled"),
        ({"after_settled": 3.5}, "after_settled"),
        ({"after_settled": True}, "after_settled"),
        ({"after_settled": 0}, "after_settled"),
        ({}, "after_settled"),
        ({"after_settled": 1, "at_hour": 1}, "after_settled"),
        ({"at_hour": 24}, "at_hour"),
        ({"at_hour": 1, "dataset": "nothing@1"}, "dataset"),
        ({"at_hour": 1, "dataset": 7}, "dataset"),
        ({"at_hour": 1, "asks_with_concerns": "yes"}, "asks_with_concerns"),
        ({"at_hour": 1, "nightly": True}, "nightly"),
        ({"at_hour": 10**17}, "at_hour"),
    ],
)
def test_what_is_wrong_is_named_by_its_field(rita, body, field) -> None:
    answer = send(rita, **body)
    assert answer.status_code in (400, 422), answer.content
    assert field in answer.json(), answer.json()
    assert not Schedule.objects.exists()


def test_admins_switch_none_on(loop) -> None:
    assert send(signed_in(loop.ada), at_hour=1).status_code == 403


class InThisProcess(Program):
    """The client with the calls answered here instead of by a server."""

    def _read(self, method: str, path: str, data: bytes = b"", headers: Any = None) -> bytes:
        answer = Client().generic(
            method,
            f"/api/v1/{path}",
            data,
            "application/json",
            headers={"Authorization": f"Token {self._token}"},
        )
        if answer.status_code >= 400:
            raise ApiError(answer.status_code, answer.json())
        return answer.content


def test_the_client_in_one_file_reads_switches_and_stops(loop) -> None:
    token = create_token(user=loop.rita, scope="write", days=1).token
    program = InThisProcess("http://127.0.0.1", token)
    assert not program.schedule("trial")["is_on"]
    found = program.switch_schedule_on("trial", "trial@1", after_settled=3, asks_with_concerns=True)
    assert (found["is_on"], found["after_settled"]) == (True, 3)
    assert Schedule.objects.get().asks_with_concerns
    loop.rated.rate_all(range(12, 20))
    sweep_at_once()
    assert program.schedule("trial")["chain"]["status"] == "freezing"
    found = program.stop_chain("trial")
    assert (found["is_on"], found["chain"]["status"]) == (True, "stopped")
    assert not program.switch_schedule_off("trial")["is_on"]
    with pytest.raises(ApiError) as refused:
        program.switch_schedule_off("trial")
    assert refused.value.status == 409
