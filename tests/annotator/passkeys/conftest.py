"""People with passkeys, and browsers at an address where passkeys are used."""

import html
import re
from typing import Any

import pytest
from django.test import Client

from annotator.models import User
from tests.annotator.accounts.conftest import PASSWORD, alice
from tests.annotator.entry.conftest import firm
from tests.annotator.passkeys.authenticator import Authenticator

__all__ = ["alice", "firm"]
PAGE = "/account/second-factor/"
ADD = "/account/second-factor/passkeys/"
CODE = "/login/code/"


def browser() -> Client:
    """Return one at localhost, where browsers use passkeys without TLS."""
    return Client(headers={"host": "localhost"})


def sign_in(name: str = "alice", **more: str) -> tuple[Client, Any]:
    """Send name and password; return the browser and the answer."""
    client = browser()
    return client, client.post("/login/", {"username": name, "password": PASSWORD, **more})


def asked_on(response: Any) -> str:
    """Return what the page has the browser ask an authenticator."""
    found = re.search(r'data-passkey="([^"]+)"', response.content.decode())
    assert found, response.content.decode()[-3000:]
    return html.unescape(found[1])


def add(client: Client, key: Authenticator, name: str = "laptop") -> Any:
    """Make a passkey on the page of a person who is signed in; return the last answer."""
    asked = client.post(ADD, {"name": name, "password": PASSWORD})
    return client.post(ADD, {"passkey": key.make(asked_on(asked))})


def enter(key: Authenticator, name: str = "alice", **more: str) -> tuple[Client, Any]:
    """Sign in by the password and a passkey."""
    client, page = sign_in(name, **more)
    return client, client.post(CODE, {"passkey": key.use(asked_on(page)), **more})


def who(client: Client) -> str:
    """Return whose session it is, "" for nobody's."""
    page = client.get("/account/")
    return page.context["user"].username if page.status_code == 200 else ""


@pytest.fixture
def key(alice: User) -> Authenticator:
    """Make alice's passkey, on the page; return what holds it."""
    made = Authenticator()
    client, _ = sign_in()
    assert add(client, made).status_code == 200
    return made
