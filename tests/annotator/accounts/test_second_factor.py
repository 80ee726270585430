import io
import json
import re
from datetime import timedelta
from typing import Any

import pyotp
import pytest
from django.core.management import call_command
from django.test import Client

from annotator.accounts import second_factor as module
from annotator.accounts.sessions import SessionStore
from annotator.models import AuditEvent, BrowserSession, Draft, RecoveryCode, SecondFactor, UsedPace
from annotator.operations.health.database import Level
from annotator.operations.health.sealed_secrets import look_at_sealed
from annotator.sealing import unseal
from core.clock import database_now
from tests.annotator.accounts.conftest import PASSWORD

pytestmark = pytest.mark.django_db


SCRIPT = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """Give a clock that is set forward by hand: codes are used up by their time."""
    start, passed = database_now(), [0]
    monkeypatch.setattr(module, "database_now", lambda: start + timedelta(seconds=passed[0]))

    def go_on(seconds: int) -> None:
        passed[0] += seconds

    return go_on


def sign_in(name: str = "alice", **more: str) -> tuple[Client, Any]:
    client = Client()
    return client, client.post("/login/", {"username": name, "password": PASSWORD, **more})


def key_on(html: str) -> str:
    return "".join(re.findall(r"<code>([A-Z2-7 ]+)</code>", html)).replace(" ", "")


def now() -> Any:
    return vars(module)["database_now"]()


def code_now(off: int = 0) -> str:
    row = SecondFactor.objects.get()
    secret = unseal(row.secret, owner=str(row.pk))
    return pyotp.TOTP(secret).generate_otp(int(now().timestamp()) // 30 + off)


@pytest.fixture
def codes(clock, alice) -> list[str]:
    """Set up alice's second factor on the page; return the recovery codes."""
    client, _ = sign_in()
    html = client.get("/account/second-factor/").content.decode()
    assert "<svg" in html and "style=" not in html
    secret = key_on(html)
    stored = [SessionStore().decode(row.session_data) for row in BrowserSession.objects.all()]
    assert stored and secret not in str(stored)
    wrong = client.post("/account/second-factor/", {"code": "000000"})
    assert wrong.status_code == 422 and not SecondFactor.objects.exists()
    code = pyotp.TOTP(secret).at(now())
    shown = client.post("/account/second-factor/", {"code": code}).content.decode()
    assert len(secret) == 32 and secret not in SecondFactor.objects.get().secret
    # The session that set it up goes on, those that gave no code end.
    assert BrowserSession.objects.filter(user=alice).count() == 1
    clock(30)
    return re.findall(r"<code>([a-z0-9-]{19})</code>", shown)


def test_who_has_a_second_factor_gets_in_with_a_code_only(alice, codes) -> None:
    client, answer = sign_in(next="/rubric/")
    assert answer.status_code == 200 and b"Second factor" in answer.content
    assert client.get("/").status_code == 302
    answer = client.post("/login/code/", {"code": code_now(), "next": "/rubric/"})
    assert answer["Location"] == "/rubric/" and client.get("/").status_code == 200


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example", "/ok\r\nX: y"])
def test_next_leads_to_this_site_only(alice, codes, target) -> None:
    client, _ = sign_in(next=target)
    location = client.post("/login/code/", {"code": code_now(), "next": target})["Location"]
    assert location.startswith("/") and not location.startswith("//")


def test_a_code_counts_once(alice, codes) -> None:
    code = code_now()
    assert sign_in()[0].post("/login/code/", {"code": code}).status_code == 302
    again = sign_in()[0].post("/login/code/", {"code": code})
    assert again.status_code == 422 and b"was used already" in again.content


def test_codes_of_the_neighbouring_half_minutes_count_and_no_others(alice, codes, clock) -> None:
    clock(300)
    for off, status in ((-2, 422), (2, 422), (-1, 302), (1, 302)):
        assert sign_in()[0].post("/login/code/", {"code": code_now(off)}).status_code == status


def test_a_recovery_code_counts_once_and_is_not_stored(alice, codes) -> None:
    assert len(set(codes)) == 10 and RecoveryCode.objects.count() == 10
    stored = str(list(RecoveryCode.objects.values()))
    assert not any(code in stored or code.replace("-", "") in stored for code in codes)
    for code, status in ((codes[3].upper(), 302), (codes[3], 422), (codes[4], 302)):
        assert sign_in()[0].post("/login/code/", {"code": code}).status_code == status


def test_what_is_no_code_is_refused_without_a_fault(alice, codes) -> None:
    for code in ("", "12345", "x" * 41, "\x00", "٠١٢٣٤٥", "12345\u0661", "-" * 19):
        UsedPace.objects.all().delete()
        assert sign_in()[0].post("/login/code/", {"code": code}).status_code == 422, ascii(code)


def test_codes_are_tried_five_times_and_then_not_looked_at(alice, codes) -> None:
    client, _ = sign_in()
    statuses = [client.post("/login/code/", {"code": "000000"}).status_code for _ in range(6)]
    # One was tried in vain while the factor was set up.
    assert statuses == [422] * 4 + [429] * 2
    answer = client.post("/login/code/", {"code": code_now()})
    assert answer.status_code == 429 and int(answer["Retry-After"]) > 0


def test_without_the_password_no_code_is_taken(alice, codes) -> None:
    for client in (Client(), sign_in("bob")[0]):
        answer = client.post("/login/code/", {"code": code_now()})
        assert (answer.status_code, answer["Location"]) == (302, "/login/")
    stale, _ = sign_in()
    alice.set_password("another phrase, as long")
    alice.save()
    assert stale.post("/login/code/", {"code": code_now()})["Location"] == "/login/"


def test_a_form_that_was_carried_is_kept_after_the_code(alice, codes, cast) -> None:
    row = cast.assign(cast.alice, cast.reference("r1", 1))[0]
    more = {"carried": '{"comment": "carried words"}', "next": f"/rate/{row.pk}/"}
    client, page = sign_in(**more)
    assert page.context["carried"] == more["carried"]
    client.post("/login/code/", {"code": code_now(), **more})
    assert Draft.objects.get().typed["comment"] == "carried words"


def test_a_script_learns_where_the_code_goes_and_gets_its_token(alice, codes) -> None:
    client = Client(headers=SCRIPT)
    body = client.post("/login/", {"username": "alice", "password": PASSWORD}).json()
    assert body["code_url"] == "/login/code/" and "token" not in body
    wrong = client.post("/login/code/", {"code": "000000"})
    assert wrong.status_code == 422 and wrong.json()["sentence"]
    right = client.post("/login/code/", {"code": code_now()})
    assert right.json()["username"] == "alice" and right.json()["token"]
    over = Client(headers=SCRIPT).post("/login/code/", {"code": "000000"})
    assert over.status_code == 422 and over.json()["is_over"]


def test_where_it_is_required_nothing_else_opens_before_it_is_set_up(alice, settings) -> None:
    settings.REQUIRE_SECOND_FACTOR = True
    client, _ = sign_in()
    for path in ("/", "/rated/", "/account/", "/account/password/"):
        assert client.get(path)["Location"] == "/account/second-factor/", path
    answer = client.get("/rated/", headers=SCRIPT)
    assert (answer.status_code, answer["HX-Redirect"]) == (403, "/account/second-factor/")
    assert client.get("/api/v1/campaigns/").status_code == 403
    page = client.get("/account/second-factor/").content.decode()
    secret = key_on(page)
    code = pyotp.TOTP(secret).at(now())
    assert client.post("/account/second-factor/", {"code": code}).status_code == 200
    assert client.get("/rated/").status_code == client.get("/api/v1/campaigns/").status_code == 200
    removal = client.post("/account/second-factor/remove/", {"code": code, "confirmed": "1"})
    assert removal.status_code == 422 and SecondFactor.objects.exists()


def test_new_codes_replace_the_old_ones_and_removal_asks_for_a_code(alice, codes, clock) -> None:
    client, _ = sign_in()
    client.post("/login/code/", {"code": code_now()})
    clock(30)
    assert client.post("/account/second-factor/codes/", {"code": "1"}).status_code == 422
    client.post("/account/second-factor/codes/", {"code": code_now()})
    assert RecoveryCode.objects.count() == 10
    assert sign_in()[0].post("/login/code/", {"code": codes[0]}).status_code == 422
    clock(30)
    asked = client.post("/account/second-factor/remove/")
    assert b"Remove the authenticator app?" in asked.content
    for code, status in (("1", 422), (code_now(), 303)):
        sent = {"code": code, "confirmed": "1"}
        assert client.post("/account/second-factor/remove/", sent).status_code == status
    assert not SecondFactor.objects.exists() and not RecoveryCode.objects.exists()


def test_the_operator_resets_it_which_ends_the_sessions(alice, codes) -> None:
    client, _ = sign_in()
    client.post("/login/code/", {"code": code_now()})
    call_command("reset_second_factor", "alice", stdout=io.StringIO())
    assert client.get("/account/").status_code == 302
    assert sign_in()[1].status_code == 302
    actions = set(AuditEvent.objects.values_list("action", flat=True))
    assert {"second_factor.set_up", "second_factor.reset", "sign_in.accepted"} <= actions
    with pytest.raises(SystemExit):
        call_command("reset_second_factor", "alice", stderr=io.StringIO())


def test_a_refused_code_is_not_in_the_way_of_the_next_one(alice, client: Client) -> None:
    client.force_login(alice)
    answer = client.post("/account/second-factor/", {"code": "no-code-of-ours"})
    assert answer.status_code == 422
    assert "no-code-of-ours" not in answer.content.decode()


def found_of_factors() -> list[Level]:
    return [one.level for one in look_at_sealed() if one.part == "second factors"]


def test_a_new_site_key_is_followed_by_a_command_and_shown_by_doctor(alice, codes, settings, clock):
    earlier = settings.SECRET_KEY
    assert found_of_factors() == [Level.OK]
    settings.SECRET_KEY = "another secret that is long enough to be one, and is none of ours"
    assert [one.level for one in look_at_sealed() if one.part == "second factors"] == [
        Level.MISSING
    ]
    client, _ = sign_in()
    refused = client.post("/login/code/", {"code": "000000"})
    assert refused.status_code == 422
    assert b"secret key was changed" in refused.content
    assert sealed_anew() == {"sealed": 0, "unopened": 1}
    settings.SECRET_KEY_FALLBACKS = [earlier]
    assert [one.level for one in look_at_sealed() if one.part == "second factors"] == [
        Level.WARNING
    ]
    assert client.post("/login/code/", {"code": code_now()}).status_code < 400
    assert sealed_anew() == {"sealed": 1, "unopened": 0}
    settings.SECRET_KEY_FALLBACKS = []
    assert found_of_factors() == [Level.OK]
    clock(30)
    assert sign_in()[0].post("/login/code/", {"code": code_now()}).status_code < 400


def sealed_anew() -> Any:
    out = io.StringIO()
    call_command("seal_second_factors", "--json", stdout=out)
    return json.loads(out.getvalue())
