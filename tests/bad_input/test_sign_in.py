"""Bad input at the entrance: signing in, sessions, addresses, polls; rows as in the catalogue."""

import base64
import logging
import pickle
from typing import Any, Final

import pytest
from django.conf import settings as project
from django.core import signing
from django.test import Client
from django.urls import reverse

from annotator.accounts.services import create_user
from annotator.models import ClaimImport, Membership, Passkey, ReliabilityReport, Role
from annotator.reliability.services import request_reliability
from scoring.models import AgreementReport, Freeze, ScoreRequest, TrainingRun
from tests.bad_input.scenes import Scene, counts
from tests.conftest import signed_in
from tests.guards.blindness.people import PASSWORD

SURFACE: Final = "sign-in, sessions, addresses, polls"
LOG_LINE: Final = "2026-01-01 INFO all is well"
NAMES: Final[dict[str, tuple[str, int]]] = {
    "LG04 a NUL": ("a\x00b", 422),
    "LG04 2 MB": ("x" * 2_100_000, 413),
    "LG04 5,000 signs": ("x" * 5000, 422),
    "LG04 turned around": ("\u202ezqhereonename", 422),
    "LG04 a space of no width": ("zqhereonename\u200b", 422),
    "LG04 a line of the log": (f"zqhereonename\r\n{LOG_LINE}", 422),
    "LG04 an escape sequence": ("\x1b[2J", 422),
    "LG04 nobody": ("", 422),
}
NEXT: Final[dict[str, str]] = {
    "LG09 two slashes in codes": "/%2f%2fevil.example",
    "LG09 a tab": "/\tfoo",
    "LG09 a header": "/ok\r\nX: y",
    "LG09 another site": "https://evil.example/",
    "LG09 without a scheme": "//evil.example",
    "LG09 backslashes": "/\\evil.example",
    "LG09 a script": "javascript:alert(1)",
    "LG09 a name before the host": "http://testserver@evil.example/",
    "LG09 a NUL": "/\x00",
    "LG09 no end": "/" + "x" * 100_000,
}


@pytest.fixture(autouse=True)
def with_password_alone(scene: Scene) -> None:
    """Have nobody asked for more than a password."""
    Passkey.objects.all().delete()


SITE: Final = "http://testserver"


class Evil:
    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return (exec, ("raise SystemError('a pickle was read')",))


def sign_in(client: Client, name: str, password: str = PASSWORD, **more: str) -> Any:
    return client.post("/login/", {"username": name, "password": password} | more)


def test_lg01_an_unknown_name_and_a_wrong_password_are_answered_alike(scene: Scene) -> None:
    name = scene.scenario.people["one"].username
    wrong, unknown = sign_in(Client(), name, "guess"), sign_in(Client(), "nobody", "guess")
    assert wrong.status_code == unknown.status_code == 422
    pages = [
        page.content.decode().replace(who, "").replace(page.cookies["csrftoken"].value, "")
        for page, who in ((wrong, name), (unknown, "nobody"))
    ]
    tokens = [page.context["csrf_token"] for page in (wrong, unknown)]
    assert pages[0].replace(str(tokens[0]), "") == pages[1].replace(str(tokens[1]), "")


def test_lg04_an_odd_name_is_refused_and_writes_no_line_of_its_own(scene: Scene, tried) -> None:
    lines: list[str] = []

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(self.format(record))

    handler = Collector()
    logging.getLogger().addHandler(handler)
    try:
        for label, (name, code) in NAMES.items():
            before = counts()
            assert sign_in(Client(), name).status_code == code, label
            assert counts() == before, label
    finally:
        logging.getLogger().removeHandler(handler)
    assert not [line for line in lines if LOG_LINE in line or "\x1b" in line or "zqhere" in line]
    assert sign_in(Client(), scene.scenario.people["one"].username).status_code == 302
    tried(SURFACE, len(NAMES))


@pytest.mark.parametrize("is_script", [False, True])
def test_lg09_next_leads_to_this_site_whatever_it_says(scene: Scene, tried, is_script) -> None:
    name = scene.scenario.people["one"].username
    headers = {"HX-Request": "true"} if is_script else {}
    for label, target in NEXT.items():
        client = Client()
        assert client.get("/login/", {"next": target}).status_code == 200, label
        sent = {"username": name, "password": PASSWORD, "next": target}
        answer = client.post("/login/", sent, headers=headers)
        assert answer.status_code in {200, 302}, label
        for header in ("Location", "HX-Redirect", "HX-Location"):
            place = answer.headers.get(header, "/")
            assert place.startswith("/") and not place.startswith(("//", "/\\")), label
            assert "\r" not in place and "\n" not in place and "\t" not in place, label
        # Without a session one is sent to the sign-in; what is too long to come back to is 400.
        answered = Client().get("/rated/", {"next": target}, headers=headers)
        assert answered.status_code in {302, 400, 401} and "X" not in answered.headers, label
    tried(SURFACE, len(NEXT))


def test_lg12_lg13_a_session_that_is_none_of_ours_is_nobodys(scene: Scene, tried) -> None:
    pickled = base64.b64encode(pickle.dumps(Evil())).decode()
    known = "django-insecure-" + "x" * 34
    cookies = {
        "LG12 tampered": scene.clients["one"].cookies["sessionid"].value[:-1] + "!",
        "LG12 8 KB": "x" * 8192,
        "LG12 a path": "../../../etc/passwd",
        "LG12 a NUL": "a\x00b",
        "LG13 a pickle": pickled,
        "LG13 signed with a published key": signing.dumps({"_auth_user_id": "1"}, key=known),
    }
    for label, value in cookies.items():
        client = Client()
        client.cookies[project.SESSION_COOKIE_NAME] = value
        assert client.get("/").status_code == 302, label
        assert client.get("/api/v1/campaigns/").status_code == 401, label
        assert sign_in(client, scene.scenario.people["one"].username).status_code == 302, label
    tried(SURFACE, len(cookies))


def test_lg16_a_sign_in_without_a_token_is_403_with_a_message_and_a_way_back(scene: Scene) -> None:
    client = Client(enforce_csrf_checks=True)
    for headers in ({}, {"Origin": "https://evil.example"}, {"Origin": SITE}):
        sent = {"username": scene.scenario.people["one"].username, "password": PASSWORD}
        answer = client.post("/login/", sent, headers=headers)
        page = answer.content.decode()
        assert answer.status_code == 403
        assert "The form was not accepted" in page and 'href="/login/"' in page
        assert PASSWORD not in page


def test_hx09_the_poll_of_anothers_job_is_404_and_a_final_one_asks_no_more(scene: Scene) -> None:
    scenario, mallory = scene.scenario, create_user(username="mallory", password=PASSWORD)
    other = type(scenario.campaign).objects.create(slug="elsewhere", name="Elsewhere")
    for role in (Role.RESEARCHER, Role.ADMIN, Role.READER):
        Membership.objects.create(user=mallory, campaign=other, role=role)
    outsider = signed_in(mallory)
    slug, rows = scenario.campaign.slug, scenario.measured
    request_reliability(campaign=scenario.campaign)
    polls: dict[str, tuple[str, Any, dict[str, Any]]] = {
        "run_progress": ("researcher", TrainingRun, {"pk": rows.waiting.pk}),
        "freeze_progress": ("researcher", Freeze, {"pk": rows.freeze.pk}),
        "report_progress": ("researcher", AgreementReport, {"pk": rows.report.pk}),
        "score_progress": ("researcher", ScoreRequest, {"pk": rows.scores.pk}),
        "claim_import_progress": (
            "admin",
            ClaimImport,
            {"slug": slug, "pk": scenario.imports.waiting.pk},
        ),
        "reliability_progress": ("admin", ReliabilityReport, {"slug": slug}),
    }
    for name, (who, model, kwargs) in polls.items():
        scenario_of = "annotator" if "slug" in kwargs else "scoring"
        path = reverse(f"{scenario_of}:{name}", kwargs=kwargs)
        assert outsider.get(path).status_code == 404, name
        asked = {"queued": "every 2s", "failed": "", "cancelled": ""}
        for status, trigger in asked.items():
            model._default_manager.update(status=status)
            page = scene.clients[who].get(path).content.decode()
            assert ("hx-trigger" in page) == bool(trigger), (name, status)
            assert trigger in page, (name, status)


# AU09, MA18, EX08: paths of files that no address may give, however they are written.
PATHS: Final = (
    *("/static/../annotator/settings.py", "/static../settings.py", "/static/%2e%2e/manage.py"),
    *("/static/%252e%252e/manage.py", "/static/..%5cmanage.py", "/static//etc/passwd", "/static/"),
    *("/static/..%2fmanage.py", "/media/", "/media/x", "/.git", "/.git/config", "/.env", "/flower"),
    *("/flower/", "/data/secret_key", "/models/../secret_key", "/models/..%2f../download/"),
    *("/models/%2e%2e%2fsecret_key/download/", "/models/file%3A%2F%2F%2Fetc/download/"),
    *("/models/%5C%5Csrv%5Cshare/download/", "/datasets/..%2f../1/export/", "/robots.txt.bak"),
    *("/datasets/%252e%252e/1/export/", "/runs/..%00/", "/admin/", "/var/db.sqlite3"),
    *("/db.sqlite3", "/%00", "/static/%00", "/..;/", "/uploads/", "/exports/"),
    *("/datasets/../.env", "/api/v1/../../.env", "/%252e%252e/.env"),
)


def test_au09_no_address_gives_a_file_that_is_not_for_the_web(scene: Scene, tried) -> None:
    for path in PATHS:
        for client in (Client(), scene.clients["admin"]):
            answer = client.get(path)
            assert answer.status_code == 404, (path, answer.status_code)
            assert b"SECRET_KEY" not in answer.content
    tried(SURFACE, len(PATHS))


def test_au12_no_disguise_makes_a_page_one_that_a_cache_stores(scene: Scene) -> None:
    one = scene.clients["one"]
    for path in ("/", "/rated/", f"/rate/{scene.scenario.other_open('one').pk}/"):
        for disguise in ("", "?x=.js", "?/x.css", ";x.css"):
            answer = one.get(path + disguise)
            assert "no-store" in answer["Cache-Control"], path + disguise
        for disguise in ("x.css", "x.js", "%2fx.css", "..%2fx.css"):
            answer = one.get(path + disguise)
            assert answer.status_code == 404, path + disguise
            assert "no-store" in answer["Cache-Control"]
