"""How often one person may call the API."""

import pytest
from django.test import Client

from annotator import rate_limits
from annotator.accounts.sessions import create_token

pytestmark = pytest.mark.usefixtures("paces_stand_still")


def test_above_the_limit_a_person_learns_when_to_call_again(cast, settings) -> None:
    rate_limits._counts.clear()
    settings.API_CALLS_PER_MINUTE = 5
    tokens = [create_token(user=cast.alice).token for _ in range(2)]
    callers = [Client(headers={"Authorization": f"Token {token}"}) for token in tokens]
    codes = [callers[n % 2].get("/api/v1/campaigns/").status_code for n in range(7)]
    assert codes == [200] * 5 + [429] * 2
    answer = callers[0].post("/api/v1/ratings/", {}, content_type="application/json")
    assert answer.status_code == 429 and answer["Content-Type"] == "application/json"
    assert 0 < int(answer["Retry-After"]) <= 12 and answer.json()["detail"]
    bob = Client(headers={"Authorization": f"Token {create_token(user=cast.bob).token}"})
    assert bob.get("/api/v1/campaigns/").status_code == 200
    assert Client().get("/api/v1/campaigns/").status_code == 401
