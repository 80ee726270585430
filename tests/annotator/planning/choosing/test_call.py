"""The call by which a program has a campaign choose its order."""

from typing import Any

import pytest
from django.test import Client

from annotator.accounts.sessions import create_token
from annotator.models import Campaign
from annotator.planning.choosing.services import order_queue

pytestmark = pytest.mark.django_db
PATH = "/api/v1/campaigns/cups/choosing/"
OFF = {
    "is_on": False,
    "percent": 30,
    "control": 0,
    "control_begun": 0,
    "chosen": 0,
    "chosen_begun": 0,
    "before": 0,
    "waiting": 10,
}


@pytest.fixture
def program(cast) -> Client:
    for number in range(10):
        cast.reference(f"r{number}", 2)
    return Client(headers={"Authorization": f"Token {create_token(user=cast.ada).token}"})


def post(program: Client, **sent: Any) -> Any:
    return program.post(PATH, sent, content_type="application/json")


def test_it_is_off_switched_on_and_counted(program, cast) -> None:
    assert program.get(PATH).json() == OFF
    answer = post(program, is_on=True)
    assert (answer.status_code, answer.json()) == (200, OFF | {"is_on": True})
    order_queue(campaign=Campaign.objects.get(slug="cups"), teaching=[])
    cast.take(cast.alice)
    found = program.get(PATH).json()
    assert (found["control"], found["chosen"], found["waiting"]) == (3, 7, 0)
    assert found["control_begun"] + found["chosen_begun"] == 1


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({}, "is_on"),
        ({"is_on": "on"}, "is_on"),
        ({"is_on": True, "percent": "30"}, "percent"),
        ({"is_on": True, "percent": 5}, "percent"),
        ({"is_on": True, "percent": 10**9}, "percent"),
        ({"is_on": True, "seed": 1}, "seed"),
    ],
)
def test_what_is_wrong_is_named_and_changes_nothing(program, cast, sent, field) -> None:
    answer = post(program, **sent)
    assert answer.status_code == 400
    assert list(answer.json()) == [field]
    assert program.get(PATH).json() == OFF


def test_nobody_else_may_look_or_choose(program, cast) -> None:
    for person, status in ((cast.alice, 403), (cast.rita, 403), (cast.mallory, 404)):
        client = Client(headers={"Authorization": f"Token {create_token(user=person).token}"})
        assert client.get(PATH).status_code == status
        assert post(client, is_on=True).status_code == status
    assert not Campaign.objects.get(slug="cups").is_choosing
