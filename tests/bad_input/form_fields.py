"""The fields of every form of the site, each once, as a browser would send the rest of its form."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from django.urls import Resolver404, resolve

from annotator.access import matrix
from tests.bad_input.scenes import Scene, undone
from tests.guards.blindness.addresses import addresses
from tests.guards.blindness.forms_found import forms_of

TOKEN = "csrfmiddlewaretoken"
NAMED = re.compile(r"<(textarea|input)\b([^>]*)>")
# What a page shows again as it was typed; a list, a tick and a number field cannot.
WRITTEN_IN = re.compile(r'type="(?:text|search|email|url)"')
SIGN_OUT = "annotator:logout"


@dataclass(frozen=True, slots=True)
class Field:
    """One field of one button of one form, and who was shown it."""

    who: str
    method: str
    route: str
    action: str
    name: str
    # All values of the form as a browser would send them.
    values: dict[str, str]
    # Fields of the form that hold free text.
    texts: frozenset[str]

    def with_value(self, encoded: str | None, again: str | None = None) -> str:
        """Return the form with a value for the field, without it (None), or with two of it."""
        sent = {quote(key): quote(value) for key, value in self.values.items()}
        sent.pop(quote(self.name), None)
        pairs = list(sent.items()) + [
            (quote(self.name), value) for value in (encoded, again) if value is not None
        ]
        return "&".join(f"{key}={value}" for key, value in pairs)


def fields(scene: Scene, who: str) -> Iterator[Field]:
    """Yield every field that somebody is shown anywhere, once for each address and button."""
    seen = set()
    for page in _pages(scene, who):
        texts = frozenset(_texts(page[1]))
        for method, html in (("POST", page[1]), ("GET", _as_posts(page[1]))):
            for form in forms_of(html, page[0]):
                for action, values in form.posts():
                    route = _route(action)
                    pressed = next(reversed(values), "") if form.buttons else ""
                    for name in values.keys() - {TOKEN}:
                        key = (method, route, pressed, name)
                        if key not in seen and route != SIGN_OUT:
                            seen.add(key)
                            yield Field(who, method, route, action, name, values, texts)


def _pages(scene: Scene, who: str) -> Iterator[tuple[str, str]]:
    for one in addresses(scene.scenario):
        rule = matrix.matrix()[one.route]
        if "GET" not in rule.methods or one.path.startswith("/api/"):
            continue
        with undone():
            answer = scene.clients[who].get(one.path)
            if answer.status_code == 200 and answer["Content-Type"].startswith("text/html"):
                yield one.path, answer.content.decode()


def _as_posts(html: str) -> str:
    """Return a page whose forms that ask stand in the place of those that change."""
    return html.replace('method="post"', "").replace('method="get"', 'method="post"')


def _texts(html: str) -> Iterator[str]:
    for tag, rest in NAMED.findall(html):
        name = re.search(r'\bname="([^"]+)"', rest)
        if name and (tag == "textarea" or WRITTEN_IN.search(rest) or "type=" not in rest):
            yield name[1]


def _route(action: str) -> str:
    try:
        return resolve(urlsplit(action).path).view_name
    except Resolver404:
        return action
