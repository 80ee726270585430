import os
import socket
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import chain
from pathlib import Path
from queue import Empty
from threading import Barrier
from typing import Any

import pytest
from kombu import Connection
from kombu.exceptions import OperationalError
from kombu.utils.json import dumps

from core.broker.filesystem import Transport

INFO = {"exchange": "shared", "routing_key": "shared"}
TRANSPORT = "core.broker.filesystem:Transport"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder in which messages lie."""
    found = tmp_path / "messages"
    found.mkdir()
    return found


@pytest.fixture
def connect(folder: Path) -> Callable[[], Connection]:
    """Give a function that makes a fresh connection to the broker of the folder."""
    options = {"data_folder_in": str(folder), "data_folder_out": str(folder)}
    return partial(Connection, "filesystem://", transport=TRANSPORT, transport_options=options)


def envelope(number: int) -> dict[str, Any]:
    """Return what kombu puts around a message."""
    return {
        "body": str(number),
        "content-type": "application/json",
        "content-encoding": "utf-8",
        "headers": {},
        "properties": {"delivery_tag": str(number), "delivery_info": INFO, "body_encoding": None},
    }


def test_a_message_has_its_name_only_once_it_is_whole(folder, connect, monkeypatch) -> None:
    takeable: list[list[str]] = []
    flush = os.fsync

    def look_and_flush(descriptor: int) -> None:
        takeable.append([path.name for path in folder.iterdir() if path.name.endswith(".msg")])
        flush(descriptor)

    monkeypatch.setattr(os, "fsync", look_and_flush)
    # No queue of the application: kombu remembers for the whole process which ones it has bound.
    with connect() as connection, connection.SimpleQueue("aside") as queue:
        queue.put({"pk": "1"})
        assert takeable[0] == []
        assert len(list(folder.glob("*.aside.msg"))) == 1
        message = queue.get(timeout=5)
        assert message.payload == {"pk": "1"}
        message.ack()
    assert list(folder.glob("*.msg")) == []


def test_of_many_who_take_each_message_goes_to_one(connect) -> None:
    messages, takers = 100, 4
    with connect() as connection:
        channel: Any = connection.default_channel
        for number in range(messages):
            channel._put("shared", envelope(number))

    def take(begin: Barrier) -> list[int]:
        taken = []
        with connect() as connection, suppress(Empty):
            channel: Any = connection.default_channel
            begin.wait()
            while True:
                taken.append(int(channel._get("shared")["body"]))
        return taken

    with ThreadPoolExecutor(takers) as pool:
        found = list(pool.map(take, [Barrier(takers)] * takers))
    assert sorted(chain.from_iterable(found)) == list(range(messages))


def test_a_message_is_taken_though_the_temporary_folder_takes_nothing(connect, monkeypatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/proc/no such folder")
    with connect() as connection, connection.SimpleQueue("aside") as queue:
        queue.put({"pk": "1"})
        assert queue.get(timeout=5).payload == {"pk": "1"}


def test_who_declares_a_queue_leaves_nothing_that_another_could_find_half_written(
    connect, tmp_path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    for _ in range(2):
        with connect() as connection, connection.SimpleQueue("beside"):
            pass
    assert sorted(tmp_path.rglob("*")) == before


def test_nothing_is_broadcast_to_workers() -> None:
    from config.celery import app

    assert app.conf.worker_enable_remote_control is False


def test_the_embedded_broker_uses_it(settings) -> None:
    if not settings.CELERY_BROKER_URL.startswith("filesystem:"):
        pytest.skip("another broker is set")
    from config.celery import app

    assert isinstance(app.connection_for_write().transport, Transport)


NO_MESSAGES: dict[str, Callable[[Path], object]] = {
    "a pipe": os.mkfifo,
    "a folder": Path.mkdir,
    "a link to a message": lambda path: path.symlink_to(path.parent.parent / "message"),
    "a link to nothing": lambda path: path.symlink_to("nowhere"),
    "a socket": lambda path: socket.socket(socket.AF_UNIX).bind(str(path)),
    "an empty file": Path.touch,
    "a huge file": lambda path: path.write_bytes(b" " * (1 << 20) + b"{}"),
    "half a message": lambda path: path.write_text(dumps(envelope(1))[:-9]),
    "no text": lambda path: path.write_bytes(b"\xff\xfe"),
    **{
        f"{name} that are {value!r}": partial(
            lambda name, value, path: path.write_text(dumps(envelope(1) | {name: value})),
            name,
            value,
        )
        for name, value in (
            *(("body", None), ("body", {}), ("headers", None), ("headers", [])),
            *(("headers", {"compression": "gzip"}), ("properties", None), ("properties", {})),
            ("properties", {"delivery_tag": "1"}),
            ("properties", {"delivery_tag": "1", "delivery_info": {}}),
            ("properties", {"delivery_tag": ["1"], "delivery_info": INFO}),
            ("properties", {"delivery_tag": "1", "delivery_info": INFO, "body_encoding": "rot13"}),
            ("properties", {"delivery_tag": "1", "delivery_info": INFO, "body_encoding": "base64"}),
            ("body", {"__type__": "decimal", "__value__": "x"}),
        )
    },
    "a number": lambda path: path.write_text("1"),
    "what is too deep": lambda path: path.write_text("[" * 30_000),
}


@pytest.mark.parametrize("what", NO_MESSAGES)
def test_what_is_no_message_is_set_aside_and_the_next_one_taken(
    folder, connect, what, caplog
) -> None:
    (folder.parent / "message").write_text(dumps(envelope(7)))
    bad = folder / "0_a.shared.msg"
    NO_MESSAGES[what](bad)
    (folder / "no message").mkdir()  # named otherwise, it is nobody's
    with connect() as connection:
        channel: Any = connection.default_channel
        channel._put("shared", envelope(2))
        assert channel._get("shared")["body"] == "2"
        with pytest.raises(Empty):
            channel._get("shared")
    assert os.path.lexists(folder.parent / "set_aside" / bad.name)
    assert (folder.parent / "message").exists()
    assert [record.levelname for record in caplog.records] == ["ERROR"]


def test_what_cannot_be_moved_is_passed_over(folder, connect) -> None:
    os.mkfifo(folder / "0_a.shared.msg")
    (folder.parent / "set_aside").write_text("a file")
    with connect() as connection:
        channel: Any = connection.default_channel
        channel._put("shared", envelope(2))
        assert channel._get("shared")["body"] == "2"


@pytest.mark.broker
def test_a_redis_that_hangs_is_asked_once(settings) -> None:
    if not settings.CELERY_BROKER_URL.startswith("redis:"):
        pytest.skip("a folder does not hang")
    with socket.create_server(("127.0.0.1", 0)) as hung:
        url = f"redis://127.0.0.1:{hung.getsockname()[1]}/0"
        options = settings.CELERY_BROKER_TRANSPORT_OPTIONS
        connection = Connection(url, transport_options=options)
        with pytest.raises(OperationalError):
            connection.default_channel  # noqa: B018 - as whoever enqueues does
        hung.settimeout(0.1)
        hung.accept()[0].close()
        with pytest.raises(TimeoutError):
            hung.accept()
