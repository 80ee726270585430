"""No answer lets a browser, a cache or another site store, send or read what is on it."""

import re
from collections import defaultdict
from pathlib import Path
from typing import Any, Final

import pytest
from django.test import Client

from annotator.access import matrix
from annotator.access.scopes import roles_of
from annotator.accounts.sessions import create_token
from annotator.models import User
from tests.guards.blindness.addresses import Address, addresses
from tests.guards.blindness.marks import HERE
from tests.guards.blindness.states import furnish
from tests.guards.conftest import ROOT
from tests.guards.pages_read import CLAIMS, read

HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex, nofollow",
}
POLICY: Final = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
# An XML name space is a name: nothing is fetched from it. The licence line of a vendored file.
NAMES: Final = ("http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml")
ADDRESS: Final = re.compile(r"(?:https?:)?//[a-z0-9-]+(?:\.[a-z0-9-]+)+[^\s\"')`]*", re.IGNORECASE)


def wrong_headers(answer: Any) -> list[str]:
    """Return what is missing among the headers of an answer."""
    wrong = [name for name, value in HEADERS.items() if answer.headers.get(name) != value]
    policy = dict(
        part.strip().partition(" ")[::2]
        for part in answer.headers.get("Content-Security-Policy", "").split(";")
    )
    if answer.request["PATH_INFO"] == "/api/docs/":
        # The icons of the library that shows the calls.
        wrong += [] if policy.get("img-src") == "'self' data:" else ["img-src"]
        policy["img-src"] = POLICY["img-src"]
    wrong += [] if policy == POLICY else [f"Content-Security-Policy {policy}"]
    caching = answer.headers.get("Cache-Control", "")
    wrong += [] if "no-store" in caching and "private" in caching else [f"Cache-Control {caching}"]
    vary = answer.headers.get("Vary", "")
    wrong += [] if "HX-Request" in vary else [f"Vary {vary}"]
    wrong += [name for name in answer.headers if name.startswith("Access-Control-")]
    return wrong


@pytest.fixture
def scenario(db: None, settings: Any, tmp_path: Path, quick_passwords: None) -> Any:
    settings.DATA_DIR = tmp_path
    scenario = furnish(HERE, "closed")
    create_token(user=scenario.people["one"])
    return scenario


def is_open(address: Address, user: User) -> bool:
    rule = matrix.matrix()[address.route]
    return rule.is_public or bool(rule.principals & roles_of(user))


@pytest.mark.slow
def test_every_route_keeps_its_answer_from_caches_other_sites_and_helpful_browsers(
    scenario,
) -> None:
    wrong: dict[str, set[str]] = defaultdict(set)
    answered, routes, fields, claims = 0, set(), 0, 0
    for who in ("one", "adjudicator", "researcher", "admin"):
        client = Client(raise_request_exception=False)
        client.force_login(scenario.people[who])
        for address in addresses(scenario):
            routes.add(address.route)
            if not is_open(address, scenario.people[who]):
                continue
            answer = client.get(address.path)
            answered += 1
            for fault in wrong_headers(answer):
                wrong[fault].add(address.route)
            if answer.headers.get("Content-Type", "").startswith("text/html"):
                is_file = "attachment" in answer.headers.get("Content-Disposition", "")
                page = read(b"".join(answer).decode())
                fields, claims = fields + page.fields, claims + page.claims
                for fault in [] if is_file else page.wrong:
                    wrong[fault].add(address.route)
    assert not wrong, "\n".join(f"{fault}: {sorted(where)}" for fault, where in wrong.items())
    # Otherwise nothing was looked at.
    assert routes == set(matrix.matrix())
    assert answered > 100
    assert fields > 10
    assert claims > 10


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 302),
        ("GET", "/nowhere/", 404),
        ("GET", "/login", 301),
        ("POST", "/login/", 403),
        ("DELETE", "/login/", 403),
        ("GET", "/api/v1/campaigns/", 401),
        ("GET", "/healthz", 200),
    ],
)
def test_an_answer_that_no_view_gives_is_as_private(method, path, status) -> None:
    answer = Client(enforce_csrf_checks=True).generic(method, path)
    assert answer.status_code == status
    assert wrong_headers(answer) == []


@pytest.mark.django_db
def test_a_body_that_is_too_long_is_refused_as_close() -> None:
    answer = Client().post("/login/", {"username": "x" * 3_000_000})
    assert answer.status_code == 413
    assert wrong_headers(answer) == []


def test_static_files_are_for_this_site_alone(client) -> None:
    answer = client.get("/static/css/base.css")
    assert answer.status_code == 200
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"] == "same-origin"
    assert not [name for name in answer.headers if name.startswith("Access-Control-")]


def outside(text: str) -> list[str]:
    """Return the addresses of other machines that a file names."""
    for name in NAMES:
        text = text.replace(name, "")
    return [found[0] for found in ADDRESS.finditer(text)]


def test_no_template_style_or_script_names_an_address_outside() -> None:
    files = [*(ROOT / "templates").rglob("*.html"), *(ROOT / "static").rglob("*")]
    read_files = [path for path in files if path.suffix in {".html", ".css", ".js", ".svg"}]
    found = {
        str(path.relative_to(ROOT)): named
        for path in read_files
        if (named := outside(path.read_text(encoding="utf-8")))
    }
    assert not found
    assert len(read_files) > 100


@pytest.mark.parametrize(
    "planted",
    [
        "@import url('https://fonts.example.org/css?family=Inter');",
        "src: url(//cdn.example.org/inter.woff2)",
        '<script src="HTTPS://cdn.example.org/x.js"></script>',
    ],
)
def test_a_planted_font_of_another_machine_is_found(planted) -> None:
    assert outside(planted)


@pytest.mark.parametrize(
    ("planted", "fault"),
    [
        ('<button hx-on:click="x()">', "inline hx-on:click"),
        ('<button data-hx-on:click="x()">', "inline data-hx-on:click"),
        ('<p onclick="x()">', "inline onclick"),
        ('<p style="color: red">', "inline style"),
        ("<script>x()</script>", "inline <script>"),
        ('<link href="https://cdn.example.org/x.css">', "address outside"),
        ('<img src="//cdn.example.org/x.png">', "address outside"),
        ('<a href="javascript:x()">', "address outside"),
        ('<textarea name="comment" translate="no" autocomplete="off">', "spellcheck"),
        ('<textarea name="comment" spellcheck="false" autocomplete="off">', "translate"),
        ('<textarea name="comment" spellcheck="false" translate="no">', "autocomplete"),
        (f"<p>{CLAIMS[0]}</p>", "translate"),
        (f"<title>{CLAIMS[0]}</title>", "title"),
        (f'<a href="/x?q={CLAIMS[0]}">', "claim text in an address"),
    ],
)
def test_a_planted_fault_of_a_page_is_found(planted, fault) -> None:
    assert any(fault in fault_found for fault_found in read(planted).wrong)


def test_nobody_has_an_account_until_somebody_makes_one(db) -> None:
    assert User.objects.count() == 0
