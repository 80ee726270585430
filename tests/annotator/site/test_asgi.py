import asyncio
import io
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.core.signals import request_started
from django.http import FileResponse, HttpResponse

from annotator.site import asgi
from tests.faults import raising

UPLOAD = "/api/v1/campaigns/cups/claim-sets/import/"


@pytest.fixture(autouse=True)
def small(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DATA_DIR = tmp_path
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100_000
    settings.MAX_UPLOAD_BYTES = 300_000
    monkeypatch.setattr(request_started, "send", lambda **_: None)


class Site(asgi.PooledHandler):
    """Answers with what it was given, and records what it was asked."""

    def __init__(self, answer: Any = None) -> None:
        super().__init__()
        self.asked: list[tuple[str, bytes]] = []
        self._given = answer or HttpResponse(b"fine")

    def get_response(self, request: Any) -> Any:
        self.asked.append((request.META.get("CONTENT_LENGTH", ""), request.read()))
        return self._given


class Client:
    """Sends a body piece by piece and then leaves, or has sent all."""

    def __init__(self, *pieces: bytes, path: str = "/login/", is_whole: bool = True, **head: Any):
        self._pieces, self._is_whole, self.taken = [*pieces], is_whole, 0
        headers = head or {"transfer_encoding": "chunked"}
        self.scope = {
            "type": "http",
            "method": "POST",
            "path": path,
            "query_string": b"",
            "headers": [(k.replace("_", "-").encode(), v.encode()) for k, v in headers.items()],
        }
        self.received: list[Any] = []

    async def receive(self) -> dict[str, Any]:
        if not self._pieces:
            return {"type": "http.disconnect"}
        self.taken += 1
        body = self._pieces.pop(0)
        is_more = bool(self._pieces) or not self._is_whole
        return {"type": "http.request", "body": body, "more_body": is_more}

    async def send(self, message: Any) -> None:
        self.received.append(message)

    def serve(self, site: Site) -> tuple[int, bytes]:
        # In a thread of its own: a browser's tests leave a loop running in this one.
        with ThreadPoolExecutor(1) as threads:
            work = site(self.scope, self.receive, self.send)
            threads.submit(asyncio.run, work).result()
        return self.received[0]["status"], b"".join(m.get("body", b"") for m in self.received[1:])

    @property
    def headers(self) -> dict[bytes, bytes]:
        return {name.lower(): value for name, value in self.received[0]["headers"]}


@pytest.mark.parametrize("pieces", [(b"whole",), (b"who", b"le"), (b"x" * 40_000, b"y" * 50_000)])
@pytest.mark.parametrize("is_announced", [True, False])
def test_a_body_is_given_whole_and_with_its_length(pieces: Any, is_announced: bool) -> None:
    site, sent = Site(), b"".join(pieces)
    head = {"content_length": str(len(sent))} if is_announced else {}
    assert Client(*pieces, **head).serve(site) == (200, b"fine")
    assert site.asked == [(str(len(sent)), sent)]


def test_a_body_that_breaks_off_reaches_no_view() -> None:
    site, client = Site(), Client(b"half", is_whole=False, content_length="9")
    assert client.serve(site)[0] == 400 and site.asked == []
    assert client.headers[b"connection"] == b"close"


@pytest.mark.parametrize(("path", "most"), [("/login/", 11), (UPLOAD, 37), ("/no-such/", 11)])
def test_a_body_is_read_up_to_the_limit_of_its_address(path: str, most: int) -> None:
    site, client = Site(), Client(*[b"x" * 10_000] * 100, path=path)
    client.serve(site)
    assert client.taken == most and site.asked[0][0] == str(most * 10_000)


def test_a_body_that_is_announced_too_long_is_not_read() -> None:
    site, client = Site(HttpResponse(status=413)), Client(b"x", content_length="2" + "0" * 9)
    assert client.serve(site)[0] == 413 and client.taken == 0
    assert client.headers[b"connection"] == b"close"
    assert site.asked == [("2000000000", b"")]


def test_a_file_is_sent_with_its_length_and_then_closed() -> None:
    client, file = Client(b"a"), io.BytesIO(b"x" * 70_000 + b"y" * 70_000)
    assert client.serve(Site(FileResponse(file))) == (200, b"x" * 70_000 + b"y" * 70_000)
    assert client.headers[b"content-length"] == b"140000"
    assert file.closed


def test_a_full_disk_is_answered_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    full = raising(OSError(28, "No space left on device"))
    monkeypatch.setattr(asgi, "SpooledTemporaryFile", full)
    status, content = Client(b"a").serve(Site())
    assert status == 507 and b"disk" in content
