"""The crawl: a principal sends everything to every address, and each answer is read for marks."""

import io
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from django.db import transaction
from django.http import HttpResponseBase, StreamingHttpResponse
from django.urls import Resolver404, resolve

from annotator.access import matrix
from tests.guards.blindness.addresses import Address
from tests.guards.blindness.forms_found import forms_of
from tests.guards.blindness.marks import UUIDS
from tests.guards.blindness.people import Visitor
from tests.guards.blindness.requests_sent import FORM, Sent, requests_to
from tests.guards.blindness.states import Scenario

SIGN_OUT, SIGN_IN = "/logout/", "/login/"
NEXT = "next"
NOT_FOUND = 404


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: everything that the caller can read of it.

    `route` is the route, and the one before it where a redirect led there.
    """

    sent: Sent
    route: str
    status: int
    text: str
    body: str
    follows: str


class Crawl:
    """One principal's visit to a site in one state, which it leaves as it was."""

    def __init__(
        self,
        visitor: Visitor,
        scenario: Scenario,
        *,
        is_thorough: bool = True,
        tries_the_refused: bool = True,
    ) -> None:
        self.visitor = visitor
        self.scenario = scenario
        # Else each method is sent once, without a body.
        self.is_thorough = is_thorough
        # Else neither a route that the gate refuses nor a method that a route has not.
        self.tries_the_refused = tries_the_refused
        self._cookies = visitor.client.cookies.output(header="", sep=";")
        self._posted: set[tuple[str, str, str]] = set()

    def visit_all(self, addresses: Iterable[Address]) -> Iterator[Answer]:
        """Yield every answer of these addresses.

        Who is refused by the gate is so before any id is looked at: one address of a route does.
        """
        refused: set[str] = set()
        for address in addresses:
            if address.route not in refused:
                if not self._is_let_in(address):
                    refused.add(address.route)
                    if not self.tries_the_refused:
                        continue
                yield from self._visit(address)

    def _is_let_in(self, address: Address) -> bool:
        rule = matrix.matrix()[address.route]
        if self.visitor.is_token and not address.path.startswith("/api/"):
            return rule.is_public
        return rule.is_public or bool(rule.principals & self.visitor.roles)

    def _visit(self, address: Address) -> Iterator[Answer]:
        """Yield every answer of an address, those of the forms on its page included."""
        rule = matrix.matrix()[address.route]
        is_thorough = self.is_thorough and self._is_let_in(address)
        for sent in requests_to(address, rule, self.scenario, is_thorough=is_thorough):
            if sent.method not in rule.methods and not self.tries_the_refused:
                continue
            answers = list(self.send(sent))
            yield from answers
            if answers[0].status == NOT_FOUND and not sent.address.path.startswith("/api/"):
                # Not theirs, whatever is sent along: `test_foreign_ids.py` sends it.
                return
            if self.is_thorough and sent.method == "GET" and "<form" in answers[0].body:
                yield from self._press_buttons(answers[0])

    def _press_buttons(self, page: Answer) -> Iterator[Answer]:
        for form in forms_of(page.body, page.sent.address.path):
            for action, values in form.posts():
                target = urlsplit(action).path
                pressed = (target, *(str(part) for part in list(values.items())[-1:]))
                key = (target, repr(sorted(values)), repr(pressed))
                if target == SIGN_OUT or key in self._posted:
                    continue
                self._posted.add(key)
                yield from self.send(Sent(Address(_route(target), target), "POST", "form", values))

    def send(self, sent: Sent) -> Iterator[Answer]:
        """Yield the answer and those it leads to; what it changed is undone."""
        found = []
        with transaction.atomic():
            answer = self._answer(sent)
            found.append(answer)
            if answer.follows and not answer.follows.startswith(SIGN_IN):
                path = answer.follows
                after = replace(answer.sent, address=Address(_route(path), path), method="GET")
                found.append(self._answer(replace(after, label=NEXT), f" after {answer.route}"))
            transaction.set_rollback(True)
        yield from found

    def _answer(self, sent: Sent, came_from: str = "") -> Answer:
        client, data = self.visitor.client, sent.data
        if sent.label != NEXT:
            client.cookies = SimpleCookie(self._cookies)
        more: dict[str, Any] = {"headers": dict(sent.headers)}
        if sent.method == "GET":
            response = client.get(sent.address.path, **more)
        elif sent.is_text:
            more["content_type"] = sent.content_type
            response = client.generic(sent.method, sent.address.path, sent.data, **more)
        else:
            assert isinstance(data, dict)
            response = client.post(sent.address.path, _encoded(data), content_type=FORM, **more)
        assert response.status_code < 500, f"{response.status_code} at {sent}"
        return _read(sent, sent.address.route + came_from, response)


def _read(sent: Sent, route: str, response: HttpResponseBase) -> Answer:
    if isinstance(response, StreamingHttpResponse):
        content = b"".join(response.streaming_content)  # type: ignore[arg-type]
    else:
        content = response.content  # type: ignore[attr-defined]
    body = _as_text(content)
    headers = "\n".join(f"{name}: {value}" for name, value in response.items())
    cookies = "\n".join(morsel.OutputString() for morsel in response.cookies.values())
    location = response.get("Location", "") or response.get("HX-Redirect", "")
    is_local = location.startswith("/") and response.status_code in {302, 303}
    everything = f"{headers}\n{unquote(cookies)}\n{body}"
    return Answer(
        sent,
        route,
        response.status_code,
        _without_echo(everything, sent.address.path),
        body,
        location if is_local else "",
    )


def _as_text(content: bytes) -> str:
    if content.startswith(b"PK"):
        return _unpacked(content)
    # Of a picture what anybody could have written into it.
    return content.decode("latin-1" if content.startswith(b"\x89PNG") else "utf-8")


def _unpacked(content: bytes) -> str:
    """Return what stands in an archive, the names of its files included."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return "\n".join(f"{name}\n{archive.read(name).decode()}" for name in archive.namelist())


def _without_echo(text: str, path: str) -> str:
    """Return an answer without the address and the ids that the caller sent: nothing new to them.

    Who has to sign in first is led to the page of the form that was sent, which has the same id.
    """
    paths = (path, urlsplit(path).path)
    echoes = [way for one in paths for way in (one, quote(one), quote(one, safe=""))]
    for echo in (*echoes, *UUIDS.findall(path)):
        if echo != "/":
            text = text.replace(echo, "")
    return text


def _encoded(data: dict[str, str]) -> str:
    return "&".join(f"{quote(name)}={quote(value)}" for name, value in data.items())


def _route(path: str) -> str:
    try:
        return resolve(urlsplit(path).path).view_name
    except Resolver404:
        return path
