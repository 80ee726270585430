"""The page of a campaign's members."""

import re

import pytest

from annotator.models import Assignment, Candidate, Membership

pytestmark = pytest.mark.django_db

PAGE = "/campaigns/cups/members/"


@pytest.fixture
def admin(client, cast):
    client.force_login(cast.ada)
    return client


def test_members_are_listed_with_their_roles(admin) -> None:
    html = admin.get(PAGE).content.decode()
    for name in ("alice", "bob", "carol", "rita", "ada"):
        assert f'value="{name}"' in html
    assert "mallory" not in html


def test_a_role_is_given_once(admin, cast) -> None:
    for _ in range(2):
        answer = admin.post(PAGE, {"username": "alice", "role": "reader"})
        assert answer.status_code == 303
    roles = Membership.objects.filter(user=cast.alice).values_list("role", flat=True)
    assert sorted(roles) == ["annotator", "reader"]


@pytest.mark.parametrize(
    ("username", "role"),
    [
        ("nobody", "reader"),
        ("mallory", "annotator"),
        ("alice", "king"),
        ("", ""),
        ("a\x00", "reader"),
    ],
)
def test_a_person_or_role_that_is_not_there_is_reported_and_shown_again(
    admin, username, role
) -> None:
    answer = admin.post(PAGE, {"username": username, "role": role})
    assert answer.status_code == 422
    assert Membership.objects.filter(campaign__slug="cups").count() == 5


def test_a_stranger_and_nobody_are_refused_alike(admin, cast) -> None:
    told = {
        re.sub("nobody|mallory|[A-Za-z0-9]{64}", "", answer.content.decode())
        for name in ("nobody", "mallory")
        if (answer := admin.post(PAGE, {"username": name, "role": "annotator"}))
    }
    assert len(told) == 1 and "by a link" in told.pop()
    path = f"{PAGE}revoke/"
    codes = {
        admin.post(path, {"username": name, "role": "annotator"}).status_code
        for name in ("nobody", "mallory")
    }
    assert codes == {409}


def test_who_loses_the_role_keeps_ratings_and_gives_back_what_is_open(admin, cast) -> None:
    rows = cast.assign(cast.alice, cast.reference("r1", 2))
    cast.submit(rows[0])
    path = f"{PAGE}revoke/"
    assert admin.post(path, {"username": "alice", "role": "annotator"}).status_code == 303
    states = Assignment.objects.order_by("position").values_list("status", flat=True)
    assert list(states) == ["submitted", "lapsed"]
    held = Candidate.objects.order_by("-held").values_list("held", flat=True)
    assert list(held) == [1, 0]
    assert cast.alice.ratings.count() == 1
    assert admin.post(path, {"username": "alice", "role": "annotator"}).status_code == 409


def test_the_last_admin_stays(admin, cast) -> None:
    path = f"{PAGE}revoke/"
    answer = admin.post(path, {"username": "ada", "role": "admin"})
    assert answer.status_code == 409
    assert "at least one admin" in answer.content.decode()
    admin.post(PAGE, {"username": "rita", "role": "admin"})
    answer = admin.post(path, {"username": "ada", "role": "admin"})
    assert (answer.status_code, answer["Location"]) == (303, "/")
    assert admin.get(PAGE).status_code in (403, 404)


@pytest.mark.parametrize("sent", [{}, {"username": "alice", "role": "king"}])
def test_a_revocation_of_nothing_is_refused(admin, sent) -> None:
    assert admin.post(f"{PAGE}revoke/", sent).status_code == 422
