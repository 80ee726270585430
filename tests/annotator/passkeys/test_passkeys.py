"""Passkeys as a second factor: made, used, renewed by, lost and removed."""

import re
from datetime import timedelta

import pyotp
import pytest
from django.core.management import call_command
from django.test import Client

from annotator.models import (
    AuditEvent,
    BrowserSession,
    Draft,
    Identity,
    Passkey,
    RecoveryCode,
    SecondFactor,
)
from annotator.operations.backups.tables import (
    applied_migrations,
    columns_of,
    lines_of,
    load_lines,
    models_after,
)
from core.clock import database_now
from tests.annotator.accounts.conftest import PASSWORD
from tests.annotator.passkeys.authenticator import Authenticator
from tests.annotator.passkeys.conftest import (
    ADD,
    CODE,
    PAGE,
    add,
    asked_on,
    browser,
    enter,
    sign_in,
    who,
)

pytestmark = pytest.mark.django_db


def acts(action: str) -> list[str]:
    return list(AuditEvent.objects.filter(action=action).values_list("object_type", flat=True))


def text_of(response) -> str:
    return re.sub(r"\s+", " ", response.content.decode())


def test_the_first_one_brings_recovery_codes_and_ends_what_gave_no_factor(alice) -> None:
    other, _ = sign_in()
    client, _ = sign_in()
    shown = add(client, Authenticator())
    assert len(re.findall(r"<code>([a-z0-9-]{19})</code>", shown.content.decode())) == 10
    assert who(client) == "alice" and who(other) == ""
    row = Passkey.objects.get()
    assert (row.user, row.name, row.rp_id) == (alice, "laptop", "localhost")
    assert acts("passkey.added") == ["passkey"]
    page = text_of(client.get(PAGE))
    assert "laptop" in page and "10 of 10 are left" in page and "stays on its device" in page


def test_a_second_one_brings_no_codes_and_each_lets_in(alice, key) -> None:
    client, _ = enter(key)
    another = Authenticator(credential_id=b"another", is_backup_eligible=True)
    assert add(client, another, "key ring").status_code == 303
    assert RecoveryCode.objects.count() == 10
    for one in (key, another):
        client, answer = enter(one, next="/rubric/")
        assert answer["Location"] == "/rubric/" and who(client) == "alice"
    assert Passkey.objects.exclude(used_at=None).count() == 2


def test_without_it_the_password_lets_nobody_in(key) -> None:
    client, page = sign_in()
    assert page.status_code == 200 and "Use the passkey" in page.content.decode()
    assert client.get("/").status_code == 302
    assert CODE in page.content.decode()


def test_the_password_is_asked_for_first_and_what_was_typed_stays(alice) -> None:
    client, _ = sign_in()
    wrong = client.post(ADD, {"name": "my laptop", "password": "wrong in any case"})
    assert wrong.status_code == 422 and 'value="my laptop"' in wrong.content.decode()
    assert client.post(ADD, {"name": "", "password": PASSWORD}).status_code == 422
    assert "passkey_question" not in client.session


def test_a_key_is_stored_once_whoever_brings_it(alice, key, cast) -> None:
    for name in ("alice", "bob"):
        client = enter(key)[0] if name == "alice" else sign_in(name)[0]
        again = add(client, key)
        assert again.status_code == 409 and "stored already" in again.content.decode()
    assert Passkey.objects.get().user == alice


def test_twenty_are_enough(alice, key) -> None:
    row = Passkey.objects.get()
    for number in range(19):
        row.pk, row.credential_sha256 = None, str(number)
        row.save(force_insert=True)
    client, _ = enter(key)
    refused = client.post(ADD, {"name": "x", "password": PASSWORD})
    assert refused.status_code == 422 and "20 passkeys are enough" in refused.content.decode()


def test_a_recovery_code_lets_in_who_lost_it_and_it_is_removed(alice) -> None:
    client, _ = sign_in()
    shown = add(client, Authenticator()).content.decode()
    code = re.findall(r"<code>([a-z0-9-]{19})</code>", shown)[0]
    client, _ = sign_in()
    assert client.post(CODE, {"code": code}).status_code == 302
    url = f"{PAGE}passkeys/{Passkey.objects.get().pk}/remove/"
    asked = text_of(client.post(url))
    assert "Remove the passkey laptop?" in asked and "last second factor" in asked
    wrong = client.post(url, {"confirmed": "1", "code": code})
    assert wrong.status_code == 422 and Passkey.objects.exists()
    right = re.findall(r"<code>([a-z0-9-]{19})</code>", shown)[1]
    assert client.post(url, {"confirmed": "1", "code": right}).status_code == 303
    assert not Passkey.objects.exists() and not RecoveryCode.objects.exists()
    assert acts("passkey.removed") == ["passkey"]
    assert sign_in()[1].status_code == 302


def test_one_of_two_is_removed_without_a_code_and_the_codes_stay(alice, key) -> None:
    client, _ = enter(key)
    add(client, Authenticator(credential_id=b"another"), "another")
    url = f"{PAGE}passkeys/{Passkey.objects.get(name='another').pk}/remove/"
    assert "last second factor" not in text_of(client.post(url))
    assert client.post(url, {"confirmed": "1"}).status_code == 303
    assert client.post(url, {"confirmed": "1"}).status_code == 404
    assert Passkey.objects.get().name == "laptop" and RecoveryCode.objects.count() == 10


def test_the_last_one_stays_where_one_is_required(alice, key, settings) -> None:
    settings.REQUIRE_SECOND_FACTOR = True
    client, _ = enter(key)
    url = f"{PAGE}passkeys/{Passkey.objects.get().pk}/remove/"
    for sent in ({}, {"confirmed": "1", "code": "000000"}):
        refused = client.post(url, sent)
        assert refused.status_code == 422 and "this is your last one" in text_of(refused)
    assert Passkey.objects.exists()


def test_where_it_is_required_a_passkey_is_enough(alice, settings) -> None:
    settings.REQUIRE_SECOND_FACTOR = True
    client, _ = sign_in()
    assert client.get("/rated/")["Location"] == PAGE
    page = text_of(client.get(PAGE))
    assert "an app or a passkey" in page
    assert add(client, Authenticator()).status_code == 200
    assert client.get("/rated/").status_code == 200


def test_an_app_beside_it_brings_no_codes_and_goes_for_a_code(alice, key) -> None:
    client, _ = enter(key)
    page = client.get(PAGE).content.decode()
    secret = "".join(re.findall(r"<code>([A-Z2-7 ]+)</code>", page)).replace(" ", "")
    codes = set(RecoveryCode.objects.values_list("code_sha256", flat=True))
    code = pyotp.TOTP(secret).at(database_now())
    assert client.post(PAGE, {"code": code}).status_code == 303
    assert set(RecoveryCode.objects.values_list("code_sha256", flat=True)) == codes
    # A passkey that has to be chosen: the app's code may be what the person wants to give.
    assert "data-passkey-now" not in sign_in()[1].content.decode()
    assert "data-passkey=" in sign_in()[1].content.decode()
    code = pyotp.TOTP(secret).at(database_now() + timedelta(seconds=30))
    sent = {"confirmed": "1", "code": code}
    assert client.post(f"{PAGE}remove/", sent).status_code == 303
    assert not SecondFactor.objects.exists() and RecoveryCode.objects.count() == 10


def test_new_recovery_codes_for_a_passkey(alice, key) -> None:
    client, _ = enter(key)
    before = set(RecoveryCode.objects.values_list("code_sha256", flat=True))
    asked = client.post(f"{PAGE}codes/", {"use_passkey": "1"})
    assert "makes new recovery codes" in text_of(asked)
    answer = key.use(asked_on(asked))
    shown = client.post(f"{PAGE}codes/", {"passkey": answer})
    assert "Your recovery codes" in text_of(shown)
    after = set(RecoveryCode.objects.values_list("code_sha256", flat=True))
    assert len(after) == 10 and not after & before
    again = client.post(f"{PAGE}codes/", {"passkey": answer})
    assert again.status_code == 422 and "Begin again" in text_of(again)


def test_what_a_form_held_is_there_after_the_passkey(alice, key, cast) -> None:
    row = cast.assign(cast.alice, cast.reference("r1", 1))[0]
    more = {"carried": '{"comment": "carried words"}', "next": f"/rate/{row.pk}/"}
    client, page = sign_in(**more)
    client.post(CODE, {"passkey": "no answer at all", **more})
    page = client.post(CODE, {"passkey": "no answer at all", **more})
    assert page.status_code == 422 and page.context["carried"] == more["carried"]
    client.post(CODE, {"passkey": key.use(asked_on(page)), **more})
    assert Draft.objects.get().typed["comment"] == "carried words"


def test_a_script_learns_what_to_ask_and_gets_its_token(alice, key) -> None:
    client = Client(headers={"host": "localhost", "HX-Request": "true"})
    said = client.post("/login/", {"username": "alice", "password": PASSWORD}).json()
    assert said["code_url"] == CODE
    wrong = client.post(CODE, {"passkey": "{}"})
    assert wrong.status_code == 422 and "Begin again" in wrong.json()["sentence"]
    right = client.post(CODE, {"passkey": key.use(wrong.json()["passkey"])})
    assert right.json()["username"] == "alice" and right.json()["token"]


def test_the_operator_resets_them_all(alice, key) -> None:
    client, _ = enter(key)
    call_command("reset_second_factor", "alice")
    assert who(client) == "" and not Passkey.objects.exists() and not RecoveryCode.objects.exists()
    assert sign_in()[1].status_code == 302
    with pytest.raises(SystemExit):
        call_command("reset_second_factor", "alice")


def test_a_site_admin_resets_them_and_the_list_shows_them(client, alice, key, cast) -> None:
    cast.ada.is_superuser = True
    cast.ada.save()
    client.force_login(cast.ada)
    assert text_of(client.get("/users/")).count('data-label="Second factor">yes') == 1
    url = f"/users/{alice.pk}/reset-second-factor/"
    assert "the passkeys" in text_of(client.post(url))
    assert client.post(url, {"confirmed": "1"}).status_code == 303
    assert not Passkey.objects.exists() and not BrowserSession.objects.filter(user=alice).exists()


@pytest.mark.parametrize(
    ("host", "site_url", "words"),
    [
        ("testserver", "", "served without TLS"),
        ("127.0.0.1:8000", "", "open this site as http://localhost:8000"),
        ("[::1]", "", "open this site as http://localhost"),
        ("localhost", "https://claims.example.org", "used at https://claims.example.org"),
        ("localhost:99999999", "", ""),
    ],
)
def test_where_no_browser_uses_passkeys_the_page_says_why(
    alice, settings, host, site_url, words
) -> None:
    settings.SITE_URL, settings.ALLOWED_HOSTS = site_url, ["*"]
    client = Client(headers={"host": host})
    client.post("/login/", {"username": "alice", "password": PASSWORD})
    page = client.get(PAGE)
    assert words in text_of(page)
    refused = client.post(ADD, {"name": "x", "password": PASSWORD})
    assert refused.status_code == (422 if words else 200)


def test_one_of_another_address_is_shown_and_not_asked_for(alice, key, settings) -> None:
    Passkey.objects.update(rp_id="before.example.org")
    client, page = sign_in()
    assert "no passkey for this address" in text_of(page) and "data-passkey" not in text_of(page)
    client = browser()
    client.force_login(alice)
    assert "for before.example.org only" in text_of(client.get(PAGE))


def test_who_signs_in_at_a_provider_is_asked_there_before_one_is_made(
    client, cast, firm, settings
) -> None:
    import time

    from tests.annotator.entry.conftest import come_back, wish_of
    from tests.annotator.entry.conftest import sign_in as sign_in_there

    settings.SITE_URL, settings.ALLOWED_HOSTS = "", ["localhost"]
    client = browser()
    cast.alice.set_unusable_password()
    cast.alice.save()
    Identity.objects.create(issuer=firm.issuer, subject="s-1", user=cast.alice)
    sign_in_there(client, firm)
    assert "Firm asks you anew first" in text_of(client.get(PAGE))
    wish = wish_of(client.post(ADD, {"name": "laptop"}))
    firm.nonce, firm.claims = wish["nonce"], {"auth_time": int(time.time()) - 3600}
    come_back(client, firm, wish)
    assert "passkey_question" not in client.session
    wish = wish_of(client.post(ADD, {"name": "laptop"}))
    firm.nonce, firm.claims = wish["nonce"], {"auth_time": int(time.time())}
    asked = come_back(client, firm, wish)
    assert client.post(ADD, {"passkey": Authenticator().make(asked_on(asked))}).status_code == 200
    assert Passkey.objects.get().user == cast.alice


def test_after_a_restore_it_lets_in_as_before(alice, key) -> None:
    key.count = 7
    enter(key)
    models = models_after(applied_migrations())
    (model,) = [one for one in models if one._meta.model_name == "passkey"]
    lines = list(lines_of(model))
    Passkey.objects.all().delete()
    assert sign_in()[1].status_code == 302
    load_lines(model, columns_of(model), lines)
    assert enter(key)[1].status_code == 422
    key.count = 8
    assert enter(key)[1].status_code == 302
