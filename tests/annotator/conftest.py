"""What a browser without JavaScript does: read the rate form as it is shown, and send it."""

from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from annotator.accounts.sessions import create_token
from annotator.models import Assignment, User
from patclaimeval.rubric import CRITERIA
from tests.annotator.adjudication.rulings import PASSWORD
from tests.conftest import grant, make_user

Fields = dict[str, str]
TOKEN = "csrfmiddlewaretoken"


class _RateForm(HTMLParser):
    """Collects the fields of `#rating-form`, inside it or tied to it by their `form`."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.fields: Fields = {}
        self._inside = False
        self._area = ""
        self._list = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        at = dict(attrs)
        if tag == "form":
            self._inside = at.get("id") == "rating-form"
        name = at.get("name") or ""
        is_ours = self._inside or at.get("form") == "rating-form"
        if tag == "textarea" and is_ours:
            self._area = name
            self.fields[name] = ""
        elif tag == "select" and is_ours:
            self._list = name
            self.fields[name] = ""
        elif tag == "option" and self._list and "selected" in at:
            self.fields[self._list] = at.get("value") or ""
        elif tag == "input" and is_ours and (at.get("type") != "radio" or "checked" in at):
            self.fields[name] = at.get("value") or ""

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._inside = False
        elif tag == "select":
            self._list = ""
        elif tag == "textarea" and self._area:
            # A browser drops the first line end of a text area and sends each as CR LF.
            text = self.fields[self._area].removeprefix("\n")
            self.fields[self._area] = text.replace("\r\n", "\n").replace("\n", "\r\n")
            self._area = ""

    def handle_data(self, data: str) -> None:
        if self._area:
            self.fields[self._area] += data


@pytest.fixture
def form_of() -> Callable[[HttpResponse], Fields]:
    def read(answer: HttpResponse) -> Fields:
        parser = _RateForm()
        parser.feed(answer.content.decode())
        return {key: value for key, value in parser.fields.items() if key != TOKEN}

    return read


@pytest.fixture
def typed() -> Callable[..., Fields]:
    def fields(*values: object, **more: object) -> Fields:
        scores = dict(zip(CRITERIA, map(str, values or (7, 5, 9, 10)), strict=True))
        return scores | {name: str(value) for name, value in more.items()}

    return fields


@pytest.fixture
def rows(cast, client: Client) -> list[Assignment]:
    """Give alice, signed in, the three candidates of a reference by name."""
    client.force_login(cast.alice)
    return cast.assign(cast.alice, cast.reference())


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


@pytest.fixture(autouse=True)
def quick_passwords(quick_passwords: None) -> None:
    """Sign quickly in every test."""


@pytest.fixture
def carol(cast) -> User:
    cast.carol.set_password(PASSWORD)
    cast.carol.save()
    return cast.carol


@pytest.fixture
def dora(cast) -> User:
    user = grant(make_user("dora"), cast.campaign, "adjudicator")
    user.set_password(PASSWORD)
    user.save()
    return user


@pytest.fixture
def admin(cast, client: Client) -> Client:
    client.force_login(cast.ada)
    return client
