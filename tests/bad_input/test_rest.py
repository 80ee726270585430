"""Bad input over REST: every field of every body, whole bodies, headers, types and methods."""

import gzip
import json
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

import pytest
from django.test import Client

from annotator.access import matrix
from tests.bad_input.nasty import BODIES, JSON_VALUES, NEVER_READ
from tests.bad_input.scenes import Scene, counts, undone
from tests.conftest import signed_in
from tests.guards.blindness.requests_sent import bodies

pytestmark = pytest.mark.slow
SURFACE: Final = "REST API"
JSON: Final = "application/json"
HEADERS: Final = {"If-Match": '"1"', "Idempotency-Key": "a key"}
MARK: Final = "@@here@@"
WRITES: Final = ("POST", "PATCH", "DELETE")
REFUSALS: Final = frozenset({400, 403, 404, 405, 409, 412, 413, 415, 428, 429})
# Takes a file, which `tests/annotator/imports/test_imports_call.py` sends it.
BY_FILE: Final = {"api:import_claims"}


def calls_with_bodies() -> list[tuple[str, str]]:
    """Return route and method of every call that can carry a body.

    Those of site admins alone, whom the scene lacks, are tried in `tests/annotator/entry`.
    """
    return [
        (route, method)
        for route, rule in matrix.matrix().items()
        if "api:" in route and route not in BY_FILE and rule.principals != {matrix.SITE_ADMIN}
        for method in sorted(rule.methods & set(WRITES))
    ]


def send(scene: Scene, who: str, method: str, path: str, body: bytes, **more: Any) -> Any:
    """Send one body and see that nothing broke and that a refusal wrote nothing."""
    before = counts()
    with undone():
        more = {"content_type": JSON, "headers": HEADERS} | more
        answer = scene.clients[who].generic(method, path, body, **more)
        about = f"{answer.status_code} for {body[:90]!r} at {method} {path} by {who}"
        assert answer.status_code < 500, about
        if answer.status_code >= 400:
            assert answer.status_code in REFUSALS, about
            assert counts() == before, about
            assert isinstance(answer.json(), dict), about
            assert b"Traceback" not in answer.content and b'File "' not in answer.content, about
    return answer


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield each place inside a body, and a copy of the body with the mark there."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield (*path, name), value | {name: MARK}
            for place, marked in places(inner, (*path, name)):
                yield place, value | {name: marked}
    elif isinstance(value, list) and value:
        yield (*path, 0), [MARK, *value[1:]]
        for place, marked in places(value[0], (*path, 0)):
            yield place, [marked, *value[1:]]


def at_home(scene: Scene, route: str, method: str) -> tuple[str, str]:
    """Return somebody and the address of the route at which they are not turned away."""
    body = json.dumps(next(iter(bodies(route, scene.scenario)), {})).encode()
    pairs = [(who, one.path) for who in scene.visitors(route) for one in scene.addresses(route)]
    answers = [(send(scene, who, method, path, body).status_code, who, path) for who, path in pairs]
    status, who, path = min(answers, key=lambda answer: (answer[0] in {403, 404}, answer[0]))
    assert status not in {403, 404}, f"nobody is let in at {route}"
    return who, path


RATINGS: Final = "/api/v1/ratings/"
LIST: Final = "/api/v1/campaigns/"
FORM: Final = {"content_type": "application/x-www-form-urlencoded"}


def got(path: str) -> dict[str, str]:
    return {"method": "GET", "path": path}


BOMB: Final = gzip.compress(b"[" + b"0," * 5_000_000 + b"0]")
# id of TRUST, what is sent besides method POST and `{}`, code, a part of the answer.
REQUESTS: Final[dict[str, tuple[dict[str, Any], int, str]]] = {
    "AP01 broken JSON": ({"body": b'{"scores": '}, 400, "JSON"),
    "AP02 a list": ({"body": b"[]"}, 400, "dictionary"),
    "AP02 a text": ({"body": b'"scores"'}, 400, "dictionary"),
    "AP03 text after the end": ({"body": b"{} {}"}, 400, "after"),
    "AP04 an empty body": ({"body": b""}, 400, "required"),
    "AP06 NaN": ({"body": b'{"scores": NaN}'}, 400, "NaN"),
    "AP06 infinity": ({"body": b'{"scores": -Infinity}'}, 400, "Infinity"),
    "AP07 a form's nan": ({"body": b"scores=nan"} | FORM, 415, "Unsupported"),
    "AP08 beyond a float": ({"body": b'{"scores": 1e999}'}, 400, "too large"),
    "AP09 half a surrogate pair": ({"body": b'{"comment": "\\ud800"}'}, 400, "surrogate"),
    "AP10 an escaped NUL": ({"body": b'{"error_tags": [{"tag": "\\u0000"}]}'}, 400, "NUL"),
    "AP23 page 0": (got(LIST + "?page=0"), 400, "page"),
    "AP23 page -1": (got(LIST + "?page=-1"), 400, "page"),
    "AP23 page 1e9": (got(LIST + "?page=1e9"), 400, "page"),
    "AP23 a billion a page": (got(LIST + "?page_size=1000000000"), 400, ""),
    "AP23 a forged cursor": (got(LIST + "?cursor=cD0x"), 400, "cursor"),
    "AP27 100,000 ids": (got(LIST + "?id__in=" + ",".join(["1"] * 100_000)), 400, "id__in"),
    "AP27 a search of 100 kB": (got(LIST + "?search=" + "x" * 100_000), 400, "search"),
    "AP12 3 MB": ({"body": b'{"a":"' + b"x" * 3_000_000 + b'"}'}, 413, "limit"),
    "AP12 10 MB": ({"body": b"x" * 10_000_000}, 413, "limit"),
    "AP16 text/plain": ({"content_type": "text/plain"}, 415, "Unsupported"),
    "AP16 yaml": ({"content_type": "application/yaml"}, 415, "Unsupported"),
    "AP16 xml": ({"content_type": "application/xml"}, 415, "Unsupported"),
    "AP16 no type": ({"content_type": ""}, 415, "Unsupported"),
    "AP16 a type that is none": ({"content_type": "\x01;;="}, 415, "Unsupported"),
    "AP16 a form": (FORM, 415, "Unsupported"),
    "AP17 a gzip bomb as JSON": ({"body": BOMB}, 400, "raw NUL"),
    "AP17 it says so": (
        {"body": BOMB, "headers": {"Content-Encoding": "gzip"}},
        415,
        "packed as gzip",
    ),
    "AP19 a method in a header": ({"headers": {"X-HTTP-Method-Override": "GET"}}, 400, "required"),
    "AP19 another method in a field": ({"body": b'{"_method":"DELETE"}'}, 400, "_method"),
    "AP20 TRACE": ({"method": "TRACE"}, 405, "not allowed"),
    "AP20 a method that is none": ({"method": "BREW"}, 405, "not allowed"),
    "AP21 a browsable API": (got(RATINGS + "?format=api"), 404, "detail"),
    "AP23 an id that is none": (got(RATINGS + "9" * 40 + "/"), 404, ""),
    "AP35 a long header": ({"headers": {"Idempotency-Key": "k" * 64_000}}, 400, "required"),
    "AP35 2,000 parameters": ({"path": RATINGS + "?" + "f=1&" * 2000}, 400, "Too many"),
    "AP35 many types": ({"headers": {"Accept": ",".join(["text/x;q=0.1"] * 5000)}}, 406, ""),
    "AP35 a wish without end": ({"headers": {"Accept": "a/b;" * 20_000}}, 406, ""),
}


@pytest.mark.parametrize("case", REQUESTS)
def test_a_request_that_is_none_of_ours_is_refused_in_json(scene: Scene, tried, case: str) -> None:
    sent, code, message = REQUESTS[case]
    more = {"path": RATINGS, "method": "POST", "body": b"{}", "content_type": JSON} | sent
    before = counts()
    method, path, body = more.pop("method"), more.pop("path"), more.pop("body")
    answer = scene.clients["one"].generic(method, path, body, **more)
    assert answer.status_code == code, answer.content
    assert message in answer.content.decode()
    if path.startswith("/api/v1/ratings/?") or method == "POST":
        assert answer["Content-Type"] == JSON
    assert counts() == before
    assert "Access-Control-Allow-Origin" not in answer
    assert scene.clients["one"].get("/api/v1/campaigns/").status_code == 200
    tried(SURFACE, 1)


def test_ap31_ap32_a_session_without_its_token_changes_nothing(scene: Scene, tried) -> None:
    client = signed_in(scene.scenario.people["one"], enforce_csrf_checks=True)
    before = counts()
    for headers in ({}, {"Origin": "https://evil.example"}, {"Origin": "null"}):
        answer = client.post(RATINGS, b"{}", content_type=JSON, headers=headers)
        assert answer.status_code == 403 and "CSRF" in answer.json()["detail"]
        assert not [name for name in answer.headers if name.startswith("Access-Control")]
    assert counts() == before
    tried(SURFACE, 3)


def test_ap38_nobody_reads_schema_figures_or_health_in_detail(scene: Scene, tried) -> None:
    for path, codes in (("/api/v1/schema/", {401}), ("/metrics", {302, 403, 404})):
        answer = Client().get(path)
        assert answer.status_code in codes, path
        assert b"openapi" not in answer.content and b"# HELP" not in answer.content
    for path in ("/healthz", "/readyz"):
        answer = Client().get(path)
        assert answer.status_code in {200, 503} and len(answer.content) < 300, answer.content
        assert b"sqlite" not in answer.content.lower() and b"postgres" not in answer.content.lower()
    tried(SURFACE, 4)


@pytest.mark.parametrize(("route", "method"), calls_with_bodies())
@pytest.mark.parametrize("every", [9, pytest.param(1, marks=pytest.mark.exhaustive)])
def test_no_value_of_a_field_breaks_a_call_and_a_refusal_names_it(
    scene: Scene, tried, route: str, method: str, every: int
) -> None:
    who, path = at_home(scene, route, method)
    count, wanted = 0, dict[Any, Any]()
    for body in bodies(route, scene.scenario):
        if send(scene, who, method, path, json.dumps(body).encode()).status_code != 400:
            wanted |= dict(places(body))
    for number, ((name, *_), marked) in enumerate(wanted.items()):
        text = json.dumps(marked).encode()
        for label, literal in islice(JSON_VALUES.items(), number % every, None, every):
            answer = send(scene, who, method, path, text.replace(f'"{MARK}"'.encode(), literal))
            count += 1
            if answer.status_code == 400:
                refusal = answer.json()
                assert {name, "non_field_errors"} & set(refusal), (label, name, refusal)
            else:
                assert label not in NEVER_READ, f"{label} in {name}: {answer.status_code}"
    for label, literal in islice(BODIES.items(), 0, None, every):
        answer = send(scene, who, method, path, literal)
        count += 1
        # A call that needs no body does not look at one.
        assert answer.status_code == 400 or label == "nothing" or not wanted, label
    tried(SURFACE, count)
