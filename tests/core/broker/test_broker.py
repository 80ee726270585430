import os
import socket
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from celery.worker.consumer import Consumer
from kombu import Connection
from kombu.exceptions import OperationalError

from config.celery import app
from core.broker.consumer import CarefulConsumer
from core.jobs.queues import Queues

CONSUMER = "core.broker.consumer:CarefulConsumer"


@pytest.fixture
def broker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Connection:
    """Give a connection to a filesystem broker in a folder that is the working directory, too."""
    monkeypatch.chdir(tmp_path)
    options = {"data_folder_in": str(tmp_path), "data_folder_out": str(tmp_path)}
    transport = "core.broker.filesystem:Transport"
    return Connection("filesystem://", transport=transport, transport_options=options)


def test_a_message_has_its_name_only_once_it_is_complete(broker, tmp_path, monkeypatch) -> None:
    named: list[list[Path]] = []
    flush = os.fsync

    def look_and_flush(descriptor: int) -> None:
        named.append(list(tmp_path.glob("*.msg")))
        flush(descriptor)

    monkeypatch.setattr(os, "fsync", look_and_flush)
    with broker as connection, connection.SimpleQueue("aside") as queue:
        queue.put({"pk": "1"})
        assert named[0] == []
        message = queue.get(timeout=5)
        assert message.payload == {"pk": "1"}
        message.ack()


def test_a_message_goes_to_its_queue_without_a_table_of_queues(broker, tmp_path) -> None:
    with broker as connection:
        producer = app.amqp.Producer(connection)
        app.send_task("scoring.train", ("a key",), queue=Queues.GPU.value, producer=producer)
    assert [path.suffixes for path in tmp_path.iterdir()] == [[".gpu", ".msg"]]


def consumer() -> Any:
    made: Any = CarefulConsumer.__new__(CarefulConsumer)
    made.connection_errors, made.channel_errors = (OSError,), ()
    return made


def message() -> Any:
    made = SimpleNamespace(headers={"timelimit": ["soon", "later"]}, acknowledged=False, dropped=0)

    def reject(*_: object) -> None:
        made.dropped += 1

    made.reject_log_error = reject
    return made


def handling(monkeypatch: pytest.MonkeyPatch, error: Exception | None) -> None:
    def handle(_: Any) -> None:
        if error is not None:
            raise error

    monkeypatch.setattr(Consumer, "create_task_handler", lambda *_: handle)


def test_a_message_that_breaks_celery_is_dropped_and_not_quoted(monkeypatch, caplog) -> None:
    handling(monkeypatch, ValueError("not enough values in 1. A secret cup"))
    bad = message()
    consumer().create_task_handler()(bad)
    assert bad.dropped == 1
    assert [record.getMessage() for record in caplog.records] == [
        "dropped a malformed message (ValueError)"
    ]


def test_a_good_message_is_handled_without_the_time_limits_that_it_names(monkeypatch) -> None:
    handling(monkeypatch, None)
    good = message()
    consumer().create_task_handler()(good)
    assert (good.dropped, good.headers) == (0, {"timelimit": [None, None]})


def test_a_lost_connection_drops_no_message(monkeypatch) -> None:
    handling(monkeypatch, ConnectionResetError())
    lost = message()
    with pytest.raises(ConnectionResetError):
        consumer().create_task_handler()(lost)
    assert lost.dropped == 0


def test_workers_use_the_careful_consumer_and_take_no_broadcasts() -> None:
    assert app.conf.worker_consumer == CONSUMER
    assert app.conf.worker_enable_remote_control is False


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
