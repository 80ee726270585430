"""The brokers: nobody can take a message that is not whole, or waits long for one that hangs."""

import os
import socket
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import chain
from pathlib import Path
from queue import Empty
from threading import Barrier
from typing import Any

import pytest
from kombu import Connection
from kombu.exceptions import OperationalError

from annotator.workers.broker import Transport

pytestmark = pytest.mark.embedded
TRANSPORT = "annotator.workers.broker:Transport"


@pytest.fixture
def options(tmp_path: Path) -> dict[str, Any]:
    folder = tmp_path / "messages"
    folder.mkdir()
    return {"data_folder_in": str(folder), "data_folder_out": str(folder)}


def test_a_message_has_its_name_only_once_it_is_whole(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(options["data_folder_in"])
    takeable: list[list[str]] = []
    flush = os.fsync

    def look_and_flush(descriptor: int) -> None:
        takeable.append([path.name for path in folder.iterdir() if path.name.endswith(".msg")])
        flush(descriptor)

    monkeypatch.setattr(os, "fsync", look_and_flush)
    connection = Connection("filesystem://", transport=TRANSPORT, transport_options=options)
    # No queue of the application: kombu remembers for the whole process which ones it has bound.
    with connection, connection.SimpleQueue("aside") as queue:
        queue.put({"pk": "1"})
        assert takeable[0] == []
        assert len(list(folder.glob("*.aside.msg"))) == 1
        message = queue.get(timeout=5)
        assert message.payload == {"pk": "1"}
        message.ack()
    assert list(folder.glob("*.msg")) == []


def test_of_many_who_take_each_message_goes_to_one(options: dict[str, Any]) -> None:
    messages, takers = 100, 4
    with Connection("filesystem://", transport=TRANSPORT, transport_options=options) as connection:
        channel: Any = connection.default_channel
        for number in range(messages):
            channel._put("shared", {"number": number})

    def take(begin: Barrier) -> list[int]:
        taken = []
        fresh = Connection("filesystem://", transport=TRANSPORT, transport_options=options)
        with fresh as connection, suppress(Empty):
            channel: Any = connection.default_channel
            begin.wait()
            while True:
                taken.append(channel._get("shared")["number"])
        return taken

    with ThreadPoolExecutor(takers) as pool:
        found = list(pool.map(take, [Barrier(takers)] * takers))
    assert sorted(chain.from_iterable(found)) == list(range(messages))


def test_a_message_is_taken_though_the_temporary_folder_takes_nothing(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/proc/no such folder")
    connection = Connection("filesystem://", transport=TRANSPORT, transport_options=options)
    with connection, connection.SimpleQueue("aside") as queue:
        queue.put({"pk": "1"})
        assert queue.get(timeout=5).payload == {"pk": "1"}


def test_who_declares_a_queue_leaves_nothing_that_another_could_find_half_written(
    options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    for _ in range(2):
        connection = Connection("filesystem://", transport=TRANSPORT, transport_options=options)
        with connection, connection.SimpleQueue("beside"):
            pass
    assert sorted(tmp_path.rglob("*")) == before


def test_nothing_is_broadcast_to_workers() -> None:
    from annotator.celery import app

    assert app.conf.worker_enable_remote_control is False


def test_the_embedded_broker_uses_it(settings: Any) -> None:
    if not settings.CELERY_BROKER_URL.startswith("filesystem:"):
        pytest.skip("another broker is set")
    from annotator.celery import app

    assert isinstance(app.connection_for_write().transport, Transport)


def test_a_redis_that_hangs_is_asked_once(settings: Any) -> None:
    if not settings.CELERY_BROKER_URL.startswith("redis:"):
        pytest.skip("a folder does not hang")
    with socket.create_server(("127.0.0.1", 0)) as hung:
        url = f"redis://127.0.0.1:{hung.getsockname()[1]}/0"
        options = settings.CELERY_BROKER_TRANSPORT_OPTIONS
        connection = Connection(url, transport_options=options)
        with pytest.raises(OperationalError):
            connection.default_channel  # noqa: B018 - as who rings does
        hung.settimeout(0.1)
        hung.accept()[0].close()
        with pytest.raises(TimeoutError):
            hung.accept()
