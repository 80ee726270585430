"""A provider that a test speaks for, and a browser that goes there and comes back."""

import html
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth.hashers import make_password
from django.http import HttpResponse
from django.test import Client

from annotator.models import User
from tests.annotator.accounts.conftest import PASSWORD
from tests.oidc.signing_provider import SigningProvider, serving


@pytest.fixture
def passwords(cast: Any) -> None:
    """Give everybody of the cast the same password."""
    User.objects.update(password=make_password(PASSWORD))


@pytest.fixture
def firm(settings: Any) -> Iterator[SigningProvider]:
    """Serve the provider `firm`, the only one of the settings."""
    with serving() as provider:
        settings.OIDC_PROVIDERS = (provider.settings,)
        yield provider


def wish_of(response: HttpResponse) -> dict[str, str]:
    """Return what the page that leads to the provider asks there."""
    assert response.status_code == 200, response.content.decode()[:2000]
    found = re.search(r'class="button" href="([^"]+)"', response.content.decode())
    assert found is not None
    url = html.unescape(found[1])
    assert response["Refresh"] == f"0;url={url}"
    return {name: value[0] for name, value in parse_qs(urlsplit(url).query).items()}


def leave(client: Client, firm: SigningProvider, **sent: str) -> dict[str, str]:
    """Press the button of the sign-in page; return what the provider is asked."""
    wish = wish_of(client.post(f"/login/with/{firm.name}/", sent))
    firm.nonce = wish["nonce"]
    return wish


def come_back(client: Client, firm: SigningProvider, wish: dict[str, str], **more: str) -> Any:
    """Return from the provider with a code."""
    sent = {"code": f"code {len(firm.used)}", "state": wish["state"]} | more
    return client.get(f"/login/with/{firm.name}/back/", sent)


def sign_in(client: Client, firm: SigningProvider, **sent: str) -> Any:
    """Sign in at the provider, as whoever its claims name."""
    return come_back(client, firm, leave(client, firm, **sent))
