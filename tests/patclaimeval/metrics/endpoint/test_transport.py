"""A request ends in a whole answer or in words: whatever the other side does."""

import json
import socket
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Thread

import pytest

from patclaimeval import exchange
from patclaimeval.exchange import NoAnswerError, UntrustedError
from patclaimeval.metrics.endpoint.client import post
from tests.patclaimeval.metrics.endpoint.local_endpoint import (
    CERTIFICATE,
    KEY,
    LocalEndpoint,
    Reply,
    local_endpoint,
    saying,
)

BODY = json.dumps({"messages": []}).encode()


@contextmanager
def answering(reply: Reply) -> Iterator[LocalEndpoint]:
    with local_endpoint(lambda received, number: reply) as place:
        yield place


@contextmanager
def saying_raw(first: bytes) -> Iterator[str]:
    """Take one connection, say `first` whatever is asked, and close."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(first)

        thread = Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/v1"
        thread.join()


def test_the_body_goes_out_with_the_key_and_the_answer_comes_back() -> None:
    with answering(Reply(b'{"a": 1}', 200)) as place:
        answer = post(f"{place.url}/chat/completions", BODY, KEY, 30)
        post(place.url, BODY, None, 30)
    assert (answer.status, answer.body, answer.retry_after) == (200, b'{"a": 1}', None)
    received, without_key = place.received
    assert received.path == "/v1/chat/completions"
    assert received.headers["Authorization"] == f"Bearer {KEY}"
    assert received.headers["Content-Type"] == "application/json"
    assert received.body == {"messages": []}
    assert "Authorization" not in without_key.headers


def test_a_redirect_is_handed_back_and_not_followed() -> None:
    with answering(saying("elsewhere")) as elsewhere:
        with answering(Reply(b"", 307, {"Location": elsewhere.url})) as place:
            assert post(place.url, BODY, KEY, 30).status == 307
        assert elsewhere.received == []


def test_a_proxy_of_the_environment_is_not_used(monkeypatch) -> None:
    with answering(Reply(b"{}")) as proxy, answering(Reply(b"{}")) as place:
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.setenv("all_proxy", proxy.url)
        monkeypatch.delenv("no_proxy", raising=False)
        post(place.url, BODY, KEY, 30)
        assert (len(proxy.received), len(place.received)) == (0, 1)


@pytest.mark.parametrize("fault", ["hang", "drip"])
def test_an_answer_that_does_not_come_or_only_drips_ends_by_the_timeout(fault) -> None:
    # Each byte comes well within the timeout, and all of them would take ten seconds.
    late = pytest.raises(NoAnswerError, match=r"^no answer within 0\.2 seconds$")
    with answering(Reply(b"x" * 1000, fault=fault)) as place, late:
        post(place.url, BODY, KEY, 0.2)


def test_headers_that_only_drip_end_by_the_timeout() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        is_over = False

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                connection.settimeout(0.02)
                connection.sendall(b"HTTP/1.1 200 OK\r\n")
                while not is_over:
                    try:
                        connection.sendall(b"X: y\r\n")
                        connection.recv(65536)
                    except TimeoutError:
                        continue
                    except OSError:
                        return

        thread = Thread(target=serve, daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}/v1"
        with pytest.raises(NoAnswerError, match=r"^no answer within 0\.3 seconds$"):
            post(url, BODY, KEY, 0.3)
        is_over = True
        thread.join()


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(b"x" * 1000, fault="close"), "broke"),
        (Reply(b"x" * 10_000_000), "longer than 1,048,576 bytes"),
    ],
    ids=["ends early", "too large"],
)
def test_a_body_that_ends_early_or_is_too_large_is_no_answer(reply, words) -> None:
    with answering(reply) as place, pytest.raises(NoAnswerError, match=words):
        post(place.url, BODY, KEY, 30)


def test_a_body_of_the_largest_size_is_read() -> None:
    with answering(Reply(b"x" * exchange.LARGEST_ANSWER)) as place:
        assert len(post(place.url, BODY, KEY, 30).body) == exchange.LARGEST_ANSWER


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"sesame\r\n",
        b"HTTP/1.1 two hundred\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\nshort",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nsesame\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200 + b"\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000 + b"\r\n\r\n",
    ],
)
def test_what_is_no_http_is_no_answer_and_is_not_repeated(raw) -> None:
    with saying_raw(raw) as url, pytest.raises(NoAnswerError, match="broke") as refusal:
        post(url, BODY, KEY, 30)
    assert "sesame" not in str(refusal.value)


def test_a_host_where_nobody_listens_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(NoAnswerError, match="refused the connection"):
        post(f"http://127.0.0.1:{port}/v1", BODY, KEY, 30)


def test_a_name_that_nobody_knows_is_said(monkeypatch) -> None:
    def unknown(*arguments: object) -> socket.socket:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "create_connection", unknown)
    with pytest.raises(NoAnswerError, match="name was not found"):
        post("https://nowhere.invalid/v1", BODY, KEY, 30)


def over_https(reply: Reply) -> AbstractContextManager[LocalEndpoint]:
    return local_endpoint(lambda received, number: reply, has_certificate=True)


@pytest.mark.parametrize(("host", "is_signed"), [("127.0.0.1", False), ("localhost", True)])
def test_a_certificate_that_does_not_hold_or_is_anothers_gets_no_claims(
    monkeypatch, host, is_signed
) -> None:
    if is_signed:
        monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    with over_https(Reply(b"{}")) as place:
        with pytest.raises(UntrustedError):
            post(place.url.replace("127.0.0.1", host), BODY, KEY, 30)
        assert place.received == []


def test_a_certificate_that_the_machine_trusts_is_taken(monkeypatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    with over_https(Reply(b"{}")) as place:
        assert post(place.url, BODY, KEY, 30).body == b"{}"
        assert place.received[0].headers["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("fault", ["hang", "drip"])
def test_the_timeout_cuts_an_encrypted_connection_too(fault, monkeypatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    late = pytest.raises(NoAnswerError, match=r"^no answer within 0\.5 seconds$")
    with over_https(Reply(b"x" * 1000, fault=fault)) as place, late:
        post(place.url, BODY, KEY, 0.5)


def test_a_handshake_that_never_ends_is_cut() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        late = pytest.raises(NoAnswerError, match=r"^no answer within 0\.2 seconds$")
        with late:
            post(f"https://127.0.0.1:{server.getsockname()[1]}/v1", BODY, KEY, 0.2)


def test_the_other_side_of_https_that_speaks_plainly_gets_nothing() -> None:
    broken = pytest.raises(NoAnswerError, match=r"connection broke \(SSLError\)")
    with saying_raw(b"HTTP/1.1 200 OK\r\n\r\n{}") as url, broken:
        post(url.replace("http:", "https:"), BODY, KEY, 30)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        *(({"Retry-After": said}, float(said)) for said in ("7", "0", " 7 ")),
        *(({"Retry-After": said}, None) for said in ("-7", "soon", "²", "")),
        ({}, None),
    ],
)
def test_the_wait_that_is_asked_for_is_read(headers, seconds) -> None:
    with answering(Reply(b"{}", 429, headers)) as place:
        assert post(place.url, BODY, KEY, 30).retry_after == seconds


@pytest.mark.parametrize(
    ("date", "until", "seconds"),
    [
        ("Wed, 01 Jul 2026 10:00:00 GMT", "Wed, 01 Jul 2026 10:00:42 GMT", 42.0),
        ("Wed, 01 Jul 2026 10:00:42 GMT", "Wed, 01 Jul 2026 10:00:00 GMT", 0.0),
        ("Wed, 01 Jul 2026 10:00:00 GMT", "Wed, 99 Jul 2026 10:00:42 GMT", None),
        ("", "Wed, 01 Jul 2026 10:00:42 GMT", None),
        ("Wed, 01 Jul 2026 10:00:00", "Wed, 01 Jul 2026 10:00:42 GMT", None),
    ],
)
def test_a_date_to_wait_for_counts_from_the_answers_own(date, until, seconds) -> None:
    raw = f"HTTP/1.1 429 Slow\r\nDate: {date}\r\nRetry-After: {until}\r\nContent-Length: 0\r\n\r\n"
    with saying_raw(raw.encode()) as url:
        assert post(url, BODY, KEY, 30).retry_after == seconds
