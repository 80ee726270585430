"""Programs that call the API."""

from collections.abc import Callable
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from annotator.accounts.sessions import create_token
from annotator.models import User

Call = Callable[..., Any]


@pytest.fixture
def call(db: None) -> Call:
    """Give a function that sends JSON as the owner of a new token, and keeps no cookie."""
    tokens: dict[Any, str] = {}
    client = Client()

    def send(
        user: User | None, method: str, path: str, body: object = None, **headers: str
    ) -> HttpResponse:
        if user is not None:
            if user.pk not in tokens:
                tokens[user.pk] = create_token(user=user).token
            headers["Authorization"] = f"Token {tokens[user.pk]}"
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        more = {} if body is None else {"data": body, "content_type": "application/json"}
        client.cookies.clear()
        return getattr(client, method)(f"/api/v1/{path}", headers=names, **more)

    return send
