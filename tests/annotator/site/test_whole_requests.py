import asyncio
import errno
import io
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import SpooledTemporaryFile
from types import SimpleNamespace
from typing import Any

import pytest
from django.http import FileResponse, HttpResponse, StreamingHttpResponse

from annotator.site import arriving_bytes, whole_requests
from annotator.site.middleware import BODY_TO_COME, GO_ON, UPLOADER
from annotator.site.whole_requests import OpenFile, WholeRequests, environ_of
from tests.faults import raising

LONG = b"0123456789abcdef" * 16_384


@pytest.fixture(autouse=True)
def own_folder(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    settings.WEB_THREADS = 1
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100_000
    settings.MAX_UPLOAD_BYTES = 300_000


def serve_together(application: WholeRequests, *clients: "Client") -> list[int]:
    """Serve clients that send at the same time; return the statuses."""

    async def serve_all() -> None:
        await asyncio.gather(
            *(application(client.scope, client.receive, client.send) for client in clients)
        )

    run(serve_all())
    return [client.status for client in clients if client.received]


def run(work: Coroutine[Any, Any, None]) -> None:
    """Run it in a thread of its own: a browser's tests leave a loop running in this one."""
    with ThreadPoolExecutor(1) as threads:
        threads.submit(asyncio.run, work).result()


class Site:
    """A WSGI application that records what it was asked, and gives its answers in turn."""

    def __init__(self, *answers: Any) -> None:
        self.asked: list[tuple[dict[str, Any], bytes]] = []
        self._answers = [*answers]

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Any:
        self.asked.append((environ, environ["wsgi.input"].read()))
        response = self._answers.pop(0)
        start_response(f"{response.status_code} so", [*response.headers.items()])
        if isinstance(response, FileResponse) and response.file_to_stream:
            file: Any = response.file_to_stream
            file.close = response.close  # as Django's handler does
            return OpenFile(file)
        return response


def asked_on(person: str = "ada") -> HttpResponse:
    """Return the answer that asks for the file of a person."""
    return HttpResponse(status=GO_ON, headers={UPLOADER: person})


class Client:
    """Sends a body piece by piece; None stands for silence, the end of the list for leaving."""

    def __init__(self, *pieces: bytes | None, is_whole: bool = True, **headers: str) -> None:
        self._pieces = [*pieces]
        self._is_whole = is_whole
        self.scope: dict[str, Any] = {
            "method": "POST",
            "raw_path": b"/a%2Fb%C3%A9%FF/",
            "query_string": b"q=%ff",
            "http_version": "1.1",
            "scheme": "http",
            "server": ("127.0.0.1", "8000"),
            "client": ("127.0.0.9", "1"),
            "headers": [(k.replace("_", "-").encode(), v.encode()) for k, v in headers.items()],
        }
        self.received: list[dict[str, Any]] = []
        self.reads = asyncio.Event()
        self.reads.set()

    async def receive(self) -> dict[str, Any]:
        if not self._pieces:
            return {"type": "http.disconnect"}
        piece = self._pieces.pop(0)
        if piece is None:
            await asyncio.Event().wait()
        is_more = bool(self._pieces) or not self._is_whole
        return {"type": "http.request", "body": piece, "more_body": is_more}

    async def send(self, message: Any) -> None:
        await self.reads.wait()
        self.received.append(message)

    def serve(self, site: Site) -> None:
        serve_together(WholeRequests(site), self)

    @property
    def status(self) -> int:
        return int(self.received[0]["status"])

    @property
    def content(self) -> bytes:
        return b"".join(message["body"] for message in self.received[1:])


@pytest.mark.parametrize("pieces", [(b"whole",), (b"who", b"le"), (b"x" * 40_000, b"y" * 50_000)])
@pytest.mark.parametrize("is_announced", [True, False])
def test_a_body_is_given_whole_and_with_its_length(pieces, is_announced) -> None:
    site, sent = Site(HttpResponse(b"fine")), b"".join(pieces)
    headers = (
        {"content_length": str(len(sent))} if is_announced else {"transfer_encoding": "chunked"}
    )
    client = Client(*pieces, **headers)
    client.serve(site)
    ((environ, body),) = site.asked
    assert (body, environ["CONTENT_LENGTH"]) == (sent, str(len(sent)))
    assert (client.status, client.content) == (200, b"fine")


@pytest.mark.parametrize("headers", [{"content_length": "9"}, {"transfer_encoding": "chunked"}])
def test_a_body_that_breaks_off_reaches_no_view(headers: dict[str, str]) -> None:
    site = Site()
    client = Client(b"half", is_whole=False, **headers)
    client.serve(site)
    # The web server tells of a client that left and of a bad chunk in the same way.
    assert site.asked == [] and client.status == 400
    assert (b"connection", b"close") in client.received[0]["headers"]


@pytest.mark.parametrize(
    ("pause", "grace"), [(0.01, 60.0), (60.0, 0.01)], ids=["a pause", "too slow in all"]
)
def test_a_body_that_does_not_come_is_given_up(monkeypatch, pause, grace) -> None:
    monkeypatch.setattr(whole_requests, "PAUSE_SECONDS", pause)
    monkeypatch.setattr(whole_requests, "GRACE_SECONDS", grace)
    site = Site()
    client = Client(b"abc", None, content_length="100000")
    client.serve(site)
    assert site.asked == [] and client.status == 408
    assert (b"connection", b"close") in client.received[0]["headers"]


@pytest.mark.parametrize(
    "headers", [{"content_length": "100001"}, {"transfer_encoding": "chunked"}]
)
def test_a_body_longer_than_a_form_is_asked_for_first(headers: dict[str, str]) -> None:
    pieces = [b"x" * 50_000, b"y" * 50_001]
    site = Site(HttpResponse(status=413))
    client = Client(*pieces, **headers)
    client.serve(site)
    ((ahead, body),) = site.asked
    assert (ahead["CONTENT_LENGTH"], ahead[BODY_TO_COME], body) == ("100001", True, b"")
    assert client.status == 413
    site = Site(asked_on(), HttpResponse(b"taken"))
    client = Client(*pieces, **headers)
    client.serve(site)
    environ, body = site.asked[1]
    assert BODY_TO_COME not in environ and body == b"".join(pieces)
    assert client.content == b"taken"


def test_a_file_that_grows_past_the_limit_is_asked_for_again() -> None:
    site = Site(asked_on(), HttpResponse(status=413))
    client = Client(*[b"x" * 100_000] * 9, transfer_encoding="chunked")
    client.serve(site)
    assert [int(environ["CONTENT_LENGTH"]) for environ, _ in site.asked] == [200_000, 400_000]
    assert client.status == 413


def pieces_of(content: bytes) -> Iterator[bytes]:
    for start in range(0, len(content), 10_000):
        yield content[start : start + 10_000]


@pytest.mark.parametrize("content", [b"", b"short", LONG], ids=["empty", "short", "long"])
@pytest.mark.parametrize(
    "respond",
    [
        HttpResponse,
        lambda content: StreamingHttpResponse(pieces_of(content)),
        lambda content: FileResponse(io.BytesIO(content)),
    ],
    ids=["at once", "streamed", "file"],
)
def test_every_kind_of_answer_comes_whole_and_is_closed(content: bytes, respond: Any) -> None:
    response = respond(content)
    client = Client()
    client.serve(Site(response))
    assert len(client.content) == len(content) and client.content == content
    assert response.closed
    assert max((len(message["body"]) for message in client.received[1:]), default=0) <= len(LONG)


def test_an_answer_that_nobody_reads_holds_no_thread() -> None:
    site = Site(StreamingHttpResponse(pieces_of(LONG)), HttpResponse(b"next"))
    requests, slow, other = WholeRequests(site), Client(), Client()

    async def both() -> None:
        slow.reads.clear()
        unread = asyncio.create_task(requests(slow.scope, slow.receive, slow.send))
        await asyncio.sleep(0)  # so that it asks first
        await requests(other.scope, other.receive, other.send)
        assert other.content == b"next" and slow.received == []
        slow.reads.set()
        await unread

    run(both())
    assert len(slow.content) == len(LONG)
    assert (b"content-length", str(len(LONG)).encode()) in slow.received[0]["headers"]


def test_an_answer_that_nobody_reads_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_requests, "UNREAD_SECONDS", 0.01)
    response, client = StreamingHttpResponse(pieces_of(LONG)), Client()

    async def take_the_head_only(message: Any) -> None:
        if message["type"] == "http.response.body":
            await asyncio.Event().wait()

    run(WholeRequests(Site(response))(client.scope, client.receive, take_the_head_only))
    assert response.closed


def test_a_full_disk_is_answered_and_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    disk_full = raising(OSError(errno.ENOSPC, "No space left on device"))
    monkeypatch.setattr(whole_requests, "TemporaryFile", disk_full)
    response, client = StreamingHttpResponse(pieces_of(LONG)), Client()
    client.serve(Site(response))
    assert client.status == 507 and b"disk" in client.content and response.closed
    monkeypatch.setattr(SpooledTemporaryFile, "write", disk_full)
    client = Client(b"x" * 90_000, content_length="90000")
    client.serve(Site())
    assert client.status == 507


def test_the_environment_is_that_of_the_request_and_holds_no_disguised_header() -> None:
    client = Client(content_type="text/plain", cookie="a=1")
    client.scope["headers"] += [
        (b"cookie", b"b=2"),
        (b"x-forwarded-for", b"1.1.1.1"),
        (b"x-forwarded-for", b"2.2.2.2"),
        (b"x_forwarded_for", b"6.6.6.6"),
        (b"x-request_id", b"0123456789abcdef"),
        (b"x-bytes", b"caf\xe9"),
    ]
    environ = environ_of(client.scope)
    headers = {name: value for name, value in environ.items() if name.startswith("HTTP_")}
    assert headers == {
        "HTTP_COOKIE": "a=1; b=2",
        "HTTP_X_FORWARDED_FOR": "1.1.1.1,2.2.2.2",
        "HTTP_X_BYTES": "caf\xe9",
    }
    assert environ["PATH_INFO"] == "/a/b\xc3\xa9\xff/" and environ["QUERY_STRING"] == "q=%ff"
    assert (environ["REMOTE_ADDR"], environ["CONTENT_TYPE"]) == ("127.0.0.9", "text/plain")


def test_what_is_written_down_is_in_a_private_folder_and_gone_afterwards(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []

    class Looking(Site):
        def __call__(self, environ: dict[str, Any], start_response: Any) -> Any:
            folder = tmp_path / "uploads" / "arriving"
            seen.append((folder.stat().st_mode & 0o777, len([*folder.iterdir()])))
            return super().__call__(environ, start_response)

    client = Client(b"x" * 90_000, content_length="90000")
    client.serve(Looking(StreamingHttpResponse(pieces_of(LONG))))
    assert seen == [(0o700, 0)]
    assert [*(tmp_path / "uploads" / "arriving").iterdir()] == []


def held(size: int, address: str = "127.0.0.9") -> Client:
    """Return a client that sends so many bytes, and then nothing."""
    client = Client(*[b"x" * 50_000] * (size // 50_000), None, content_length="290000")
    client.scope["client"] = (address, "1")
    return client


def whole(size: int = 250_000, address: str = "127.0.0.9") -> Client:
    client = Client(*[b"x" * 50_000] * (size // 50_000), content_length=str(size))
    client.scope["client"] = (address, "1")
    return client


@pytest.fixture
def short_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_requests, "PAUSE_SECONDS", 0.5)


@pytest.mark.usefixtures("short_pause")
def test_files_on_their_way_are_bounded_for_each_person() -> None:
    bob = HttpResponse(b"taken")
    site = Site(*[asked_on("ada")] * 3, asked_on("bob"), bob, asked_on("ada"), HttpResponse(b"on"))
    application = WholeRequests(site)
    clients = [held(250_000), held(250_000), held(250_000), whole()]
    assert serve_together(application, *clients) == [408, 408, 429, 200]
    assert (b"retry-after", b"30") in clients[2].received[0]["headers"]
    # What they had sent is not counted any more.
    assert serve_together(application, whole()) == [200]


@pytest.mark.usefixtures("short_pause")
def test_files_on_their_way_are_bounded_for_all_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arriving_bytes, "TIMES_OF_ALL", 1)
    site = Site(asked_on("ada"), asked_on("bob"), asked_on("carol"))
    clients = [held(250_000), held(250_000), held(250_000)]
    assert serve_together(WholeRequests(site), *clients) == [408, 408, 503]
    assert (b"retry-after", b"30") in clients[2].received[0]["headers"]


@pytest.mark.usefixtures("short_pause")
def test_other_bodies_on_the_disk_are_bounded_for_each_address(settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 300_000
    site = Site(HttpResponse(b"taken"))
    flood = [held(250_000) for _ in range(10)]
    statuses = serve_together(WholeRequests(site), *flood, whole(address="127.0.0.8"))
    assert sorted(statuses) == [200] + [408] * 9 + [429]


def test_what_is_left_of_the_disk_is_reserved(monkeypatch: pytest.MonkeyPatch) -> None:
    left = SimpleNamespace(total=64_000_000, free=6_400_000 + 80_000)
    monkeypatch.setattr("shutil.disk_usage", lambda folder: left)
    site = Site(asked_on(), HttpResponse(b"short"))
    client = whole()
    assert serve_together(WholeRequests(site), client) == [507]
    assert b"too little room" in client.content
    small = Client(b"x" * 60_000, content_length="60000")
    assert serve_together(WholeRequests(site), small) == [200]
