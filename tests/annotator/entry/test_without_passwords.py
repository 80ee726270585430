"""LOCAL_PASSWORDS=0: one account has a password, and each use of it is on record."""

from typing import Any

import pytest

from annotator.campaigns.members.services import invite
from annotator.models import AuditEvent, Identity, User
from core.oidc.settings import read, read_passwords
from tests.annotator.accounts.conftest import PASSWORD
from tests.annotator.entry.test_sign_in_at_provider import who

pytestmark = pytest.mark.django_db
FIRM = {
    "OIDC_PROVIDERS": "firm",
    "OIDC_FIRM_ISSUER": "https://id.firm.example",
    "OIDC_FIRM_CLIENT_ID": "workbench",
    "OIDC_FIRM_CLIENT_SECRET": "hush",
}


@pytest.fixture
def switched_off(firm, settings, passwords) -> Any:
    """Leave the password to bob."""
    settings.EMERGENCY_ACCOUNT = "bob"


def enter(client: Any, name: str) -> Any:
    return client.post("/login/", {"username": name, "password": PASSWORD})


def test_one_account_signs_in_with_its_password_on_record(client, switched_off) -> None:
    assert enter(client, "alice").status_code == 422
    assert who(client) == ""
    assert enter(client, "bob").status_code == 302
    assert who(client) == "bob"
    event = AuditEvent.objects.get(action="sign_in.emergency")
    assert event.actor is not None and event.actor.username == "bob"


def test_the_answer_does_not_tell_which_account_it_is(client, switched_off) -> None:
    answers = []
    for name in ("alice", "bob", "nobody"):
        sent = {"username": name, "password": "wrong in any case"}
        page = client.post("/login/", sent)
        answers.append([line for line in page.content.decode().splitlines() if "not right" in line])
    assert answers[0] == answers[1] == answers[2] != []


def test_nobody_new_has_a_password(client, cast, switched_off) -> None:
    token = invite(by=cast.ada, campaign=cast.campaign, role="reader")
    page = client.get(f"/invitation/{token}/").content.decode()
    assert "Join with Firm" in page and 'name="password"' not in page
    sent = {"username": "nora", "password": PASSWORD, "again": PASSWORD}
    assert client.post(f"/invitation/{token}/", sent).status_code == 403
    assert not User.objects.filter(username="nora").exists()


def test_who_had_a_password_signs_at_the_provider(client, cast, firm, switched_off) -> None:
    from annotator.accounts.providers import signs_at

    Identity.objects.create(issuer=firm.issuer, subject="s-1", user=cast.alice)
    Identity.objects.create(issuer=firm.issuer, subject="s-2", user=cast.bob)
    assert signs_at(cast.alice) == firm.settings
    assert signs_at(cast.bob) is None


def test_the_settings_name_the_account_and_a_provider() -> None:
    providers = read(FIRM)
    assert read_passwords(FIRM, providers) is None
    off = FIRM | {"LOCAL_PASSWORDS": "0"}
    for wrong, having in ((off, providers), (off | {"EMERGENCY_ACCOUNT": "bob"}, ())):
        with pytest.raises(ValueError, match="EMERGENCY_ACCOUNT"):
            read_passwords(wrong, having)
    assert read_passwords(off | {"EMERGENCY_ACCOUNT": " bob "}, providers) == "bob"
