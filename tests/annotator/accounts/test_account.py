from datetime import timedelta

import pytest
from django.contrib.auth.hashers import make_password
from django.test import Client

from annotator.models import AuditEvent, BrowserSession, User
from core.clock import database_now
from tests.annotator.accounts.conftest import PASSWORD

pytestmark = pytest.mark.django_db


CONFIRMED = {"confirmed": "1"}
NEW = "another phrase, as long"
FIREFOX = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko Firefox/140.0"}


def signed_in(name: str = "alice") -> Client:
    client = Client(headers=FIREFOX)
    sent = {"username": name, "password": PASSWORD}
    assert client.post("/login/", sent).status_code == 302
    return client


def is_in(client: Client) -> bool:
    return client.get("/account/").status_code == 200


def later(minutes: float) -> None:
    """Let every session look as if so much time had passed."""
    for row in BrowserSession.objects.all():
        for name in ("started_at", "seen_at", "expire_date"):
            setattr(row, name, getattr(row, name) - timedelta(minutes=minutes))
        row.save()


def test_own_sessions_are_listed_without_keys_and_nobody_elses(alice, settings) -> None:
    here, there, bob = signed_in(), signed_in(), signed_in("bob")
    html = here.get("/account/").content.decode()
    assert html.count("Firefox on Linux</th>") == 2 and html.count("this one") == 1
    for client in (here, there, bob):
        assert client.cookies[settings.SESSION_COOKIE_NAME].value not in html
    for key in BrowserSession.objects.values_list("session_key", flat=True):
        assert key not in html
        assert all(key != one.cookies[settings.SESSION_COOKIE_NAME].value for one in (here, bob))


def test_one_session_or_all_others_are_ended(alice) -> None:
    here, *others = [signed_in() for _ in range(4)]
    bob = signed_in("bob")
    row = BrowserSession.objects.filter(user=alice).order_by("started_at")[1]
    here.post(f"/account/sessions/{row.id}/end/")
    assert [is_in(client) for client in others] == [False, True, True]
    asked = here.post("/account/sessions/end-others/").content.decode()
    assert "<strong>2 other sessions and 0 API tokens</strong>" in asked
    assert "cannot be taken back" in asked and is_in(others[1])
    here.post("/account/sessions/end-others/", CONFIRMED)
    assert [is_in(client) for client in (here, *others, bob)] == [True, *[False] * 3, True]
    events = AuditEvent.objects.filter(action="session.ended").order_by("pk")
    assert [event.details for event in events] == [{"sessions": 1}, {"sessions": 2}]


def test_nobody_ends_the_session_of_another(alice) -> None:
    here, bob = signed_in(), signed_in("bob")
    row = BrowserSession.objects.get(user=alice)
    assert bob.post(f"/account/sessions/{row.id}/end/").status_code == 404
    bob.post("/account/sessions/end-others/", CONFIRMED)
    assert is_in(here) and not AuditEvent.objects.filter(action="session.ended").exists()


def test_a_session_ends_after_idling_and_after_twelve_hours_whatever_is_done(alice) -> None:
    here = signed_in()
    for _ in range(3):
        later(29)
        assert is_in(here)
    later(31)
    assert not is_in(here)
    here = signed_in()
    for _ in range(24):
        later(29)
        assert is_in(here)
    later(26)
    assert not is_in(here)


def test_a_ping_of_the_rate_page_is_work_and_what_a_page_asks_itself_is_not(alice, cast):
    here = signed_in()
    later(20)
    assert here.get("/account/", headers={"HX-Request": "true"}).status_code == 200
    later(11)
    assert not is_in(here)
    here = signed_in()
    row = cast.assign(alice, cast.reference("r1", 1))[0]
    later(20)
    assert here.post(f"/rate/{row.pk}/ping/", headers={"HX-Request": "true"}).status_code == 200
    later(11)
    assert is_in(here)


def test_who_works_costs_one_write_a_minute(alice, django_assert_max_num_queries) -> None:
    here = signed_in()
    before = BrowserSession.objects.get().seen_at
    is_in(here)
    assert BrowserSession.objects.get().seen_at == before
    later(2)
    is_in(here)
    assert database_now() - BrowserSession.objects.get().seen_at < timedelta(minutes=1)


def test_a_deactivated_person_is_out_at_once(alice) -> None:
    here = signed_in()
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert not is_in(here)


WRONG = (
    ("current", {"current": "wrong"}),
    ("current", {"current": ""}),
    ("new", {"new": "short", "again": "short"}),
    ("new", {"new": "password1234", "again": "password1234"}),
    ("again", {"again": "something else"}),
    ("new", {"new": "x\x00" * 10, "again": "x\x00" * 10}),
)


def test_a_wrong_or_weak_password_changes_nothing_and_a_new_one_ends_other_sessions(alice) -> None:
    here, there = signed_in(), signed_in()
    right = {"current": PASSWORD, "new": NEW, "again": NEW}
    for field, sent in WRONG:
        answer = here.post("/account/password/", right | sent)
        assert answer.status_code == 422, sent
        assert f'id="id_{field}_error"' in answer.content.decode(), sent
        assert is_in(there), sent
        alice.refresh_from_db()
        assert alice.check_password(PASSWORD), sent
    sent = {"current": PASSWORD, "new": NEW, "again": NEW}
    assert here.post("/account/password/", sent)["Location"] == "/account/"
    assert is_in(here) and not is_in(there)
    assert BrowserSession.objects.filter(user=alice).count() == 1
    alice.refresh_from_db()
    assert alice.check_password(NEW)
    assert AuditEvent.objects.get(action="password.changed").actor == alice


def test_guessing_the_password_by_changing_it_ends_after_ten(alice) -> None:
    here = signed_in()
    sent = {"current": "wrong", "new": NEW, "again": NEW}
    codes = [here.post("/account/password/", sent).status_code for _ in range(11)]
    assert codes == [422] * 10 + [429]


def test_who_has_no_role_yet_may_look_after_their_account(alice) -> None:
    User.objects.create(username="nora", password=make_password(PASSWORD))
    nora = signed_in("nora")
    assert is_in(nora) and nora.get("/account/password/").status_code == 200
    assert nora.get("/rated/").status_code == 403
