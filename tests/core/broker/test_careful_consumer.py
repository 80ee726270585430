from types import SimpleNamespace
from typing import Any

import pytest

from config.celery import app
from core.broker.consumer import CarefulConsumer, is_plain

PLAIN = {"lang": "py", "task": "scoring.train", "id": "a", "eta": None, "retries": 0}


def test_our_own_messages_are_plain() -> None:
    for name in app.tasks:
        assert is_plain(app.amqp.create_task_message("id", name, ("key",), {}).headers)
    assert is_plain(PLAIN)


@pytest.mark.parametrize(
    "more",
    [
        *({"eta": "tomorrow"}, {"expires": 1}, {"retries": "many"}, {"retries": 3}),
        *({"timelimit": ["soon", "later"]}, {"timelimit": [1, 2]}, {"timelimit": 5}),
        *({"stamps": {"a": 1}}, {"stamped_headers": ["a"]}, {"task": ["scoring.train"]}),
        *({"task": None}, {"id": {"a": 1}}, {"root_id": ["a"]}, {"group": {}}),
        *({"argsrepr": ["x"]}, {"made_up": [1]}),
    ],
    ids=str,
)
def test_anything_else_is_not(more) -> None:
    assert not is_plain(PLAIN | more)


@pytest.mark.parametrize("headers", [None, [], "task", {}, {"task": "scoring.train"}])
def test_what_is_no_set_of_headers_with_a_task_and_an_id_is_not(headers) -> None:
    assert not is_plain(headers)


@pytest.mark.parametrize(
    ("name", "named"),
    [("scoring.train_later", " (scoring.train_later)"), ("1. A secret cup", ""), (None, "")],
)
def test_a_task_of_another_version_is_logged_in_one_line_that_quotes_nothing(
    name, named, caplog
) -> None:
    consumer: Any = CarefulConsumer.__new__(CarefulConsumer)
    consumer.connection_errors = ()
    refused: list[object] = []
    message = SimpleNamespace(
        headers={"task": name, "argsrepr": "A secret cup"},
        body="A secret cup",
        reject_log_error=lambda *given: refused.append(given),
    )
    consumer.on_unknown_task(None, message, KeyError(name))
    assert len(refused) == 1
    (record,) = caplog.records
    assert record.getMessage() == (
        f"a message was not taken: this program, of its version, knows no such task{named}; "
        "its job stays in the database and is announced again"
    )
    assert record.exc_info is None
