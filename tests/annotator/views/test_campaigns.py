"""The campaign page."""

import pytest
from django.test import Client


def test_an_admin_reads_the_counts(client: Client, cast) -> None:
    cast.submit(cast.assign(cast.alice, cast.reference())[0])
    client.force_login(cast.ada)
    html = client.get("/campaigns/cups/").content.decode()
    assert '<th scope="row">alice</th><td class="number">3</td><td class="number">1</td>' in html
    assert "Open conflicts</dt><dd>0</dd>" in html


@pytest.mark.parametrize("name", ["alice", "carol", "rita"])
def test_a_member_without_the_right_is_refused(client: Client, cast, name: str) -> None:
    client.force_login(getattr(cast, name))
    assert client.get("/campaigns/cups/").status_code == 403


@pytest.mark.parametrize("name", ["mallory", "ada"])
def test_a_campaign_of_others_is_answered_as_one_that_does_not_exist(
    client: Client, cast, name: str
) -> None:
    client.force_login(getattr(cast, name))
    other = "cups" if name == "mallory" else "elsewhere"
    answers = [client.get(f"/campaigns/{slug}/") for slug in (other, "no-such")]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert answers[0].content == answers[1].content


def test_nobody_takes_a_candidate_of_a_campaign_of_others(client: Client, cast) -> None:
    cast.reference("x", campaign=cast.elsewhere)
    client.force_login(cast.alice)
    assert client.post("/campaigns/elsewhere/next/").status_code == 404
