"""Headers that no message of ours has."""

from typing import Any

import pytest

from annotator.celery import app
from annotator.workers.careful_consumer import is_plain

PLAIN = {"lang": "py", "task": "scoring.train", "id": "a", "eta": None, "retries": 0}


def test_our_own_messages_are_plain() -> None:
    for name in app.tasks:
        assert is_plain(app.amqp.create_task_message("id", name, ("key",), {}).headers)
    assert is_plain(PLAIN)


@pytest.mark.parametrize(
    "more",
    [
        {"eta": "tomorrow"},
        {"expires": 1},
        {"retries": "many"},
        {"retries": 3},
        {"timelimit": ["soon", "later"]},
        {"timelimit": [1, 2]},
        {"timelimit": 5},
        {"stamps": {"a": 1}},
        {"stamped_headers": ["a"]},
        {"task": ["scoring.train"]},
        {"task": None},
        {"id": {"a": 1}},
        {"root_id": ["a"]},
        {"group": {}},
        {"argsrepr": ["x"]},
        {"made_up": [1]},
    ],
    ids=str,
)
def test_anything_else_is_not(more: dict[str, Any]) -> None:
    assert not is_plain(PLAIN | more)


@pytest.mark.parametrize("headers", [None, [], "task", {}, {"task": "scoring.train"}])
def test_what_is_no_set_of_headers_with_a_task_and_an_id_is_not(headers: Any) -> None:
    assert not is_plain(headers)
