from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from kombu import Connection
from kombu.transport import get_transport_cls
from kombu.utils.json import dumps
from redis import Redis

from core.broker.redis import Transport
from tests.core.broker.test_broker import INFO, envelope

pytestmark = [
    pytest.mark.broker,
    pytest.mark.skipif(
        not settings.CELERY_BROKER_URL.startswith("redis"), reason="the broker is a folder"
    ),
]


@pytest.fixture
def name() -> Iterator[str]:
    """A queue of the test's own."""
    name = f"test-{uuid4()}"
    yield name
    with Redis.from_url(settings.CELERY_BROKER_URL) as client:
        client.delete(name, f"{name}.set-aside")


def taken(name: str) -> list[bytes]:
    """Wait at the queue as a worker does; return the bodies up to the one that is `last`."""
    bodies: list[bytes] = []

    def take(message: Any) -> None:
        bodies.append(message.body)
        message.ack()

    options = settings.CELERY_BROKER_TRANSPORT_OPTIONS
    with Connection(settings.CELERY_BROKER_URL, transport_options=options) as connection:
        assert isinstance(connection.transport, Transport)
        with connection.SimpleQueue(name) as queue:
            queue.consumer.on_message = take
            queue.consumer.consume()
            for _ in range(100):
                if b"last" in bodies:
                    break
                connection.drain_events(timeout=10)
    return bodies


def test_both_names_of_redis_are_read_with_care() -> None:
    for scheme in ("redis", "rediss"):
        assert issubclass(get_transport_cls(scheme), Transport)  # type: ignore[arg-type]


def test_what_is_no_message_is_thrown_away_and_the_next_one_taken(name, caplog) -> None:
    bad: list[bytes | str] = [
        *("", "1", "[]", "{}", "{", "null", b"\xff\xfe", "[" * 30_000),
        dumps(envelope(1) | {"properties": {"delivery_tag": ["1"], "delivery_info": INFO}}),
        dumps(envelope(1) | {"properties": {"delivery_tag": "1", "delivery_info": {}}}),
        dumps(envelope(1) | {"body": {"a": 1}}),
        '{"__type__": "decimal", "__value__": "x"}',
    ]
    with Redis.from_url(settings.CELERY_BROKER_URL) as client:
        for item in [*bad, dumps(envelope(1) | {"body": "last"})]:
            client.lpush(name, item)
    assert taken(name) == [b"last"]
    logged = [one.getMessage() for one in caplog.records if one.levelname == "ERROR"]
    assert len(logged) == len(bad)


def test_a_key_that_is_no_list_is_renamed(name, caplog) -> None:
    with Redis.from_url(settings.CELERY_BROKER_URL, decode_responses=True) as client:
        options = settings.CELERY_BROKER_TRANSPORT_OPTIONS
        url = settings.CELERY_BROKER_URL
        client.set(name, "no list")
        with Connection(url, transport_options=options) as connection:
            queue = connection.SimpleQueue(name)
            assert (client.type(name), client.get(f"{name}.set-aside")) == ("none", "no list")
            client.set(name, "no list")
            queue.consumer.on_message = lambda message: message.ack()
            queue.consumer.consume()
            connection.drain_events(timeout=10)
            assert client.type(name) == "none"
            client.lpush(name, dumps(envelope(1)))
            connection.drain_events(timeout=10)
            assert client.llen(name) == 0
            queue.close()
    assert caplog.text.count("held no list and was renamed") == 2
