from types import SimpleNamespace
from typing import Any

import pytest
from celery.exceptions import InvalidTaskError
from celery.worker import strategy
from kombu.exceptions import DecodeError

from config.celery import app
from core.broker.consumer import careful_strategy

TRAIN = "scoring.train"


def reader(monkeypatch: pytest.MonkeyPatch, error: Exception | None) -> Any:
    def make(*given: Any, **options: Any) -> Any:
        def handle(*message: Any, **more: Any) -> str:
            if error is not None:
                raise error
            return "taken"

        return handle

    monkeypatch.setattr(strategy, "default", make)
    return careful_strategy(app.tasks[TRAIN], "app", "consumer")


def message(*args: Any) -> Any:
    return SimpleNamespace(payload=(args, {}, {}))


def test_every_task_reads_its_messages_with_care() -> None:
    tasks = [task for name, task in app.tasks.items() if not name.startswith("celery.")]
    assert tasks
    assert {task.Strategy for task in tasks} == {"core.broker.consumer:careful_strategy"}


def test_a_good_message_is_taken(monkeypatch) -> None:
    assert reader(monkeypatch, None)(message("a key"), "body") == "taken"


def test_what_cannot_be_read_is_malformed_and_not_quoted(monkeypatch) -> None:
    read = reader(monkeypatch, ValueError("not enough values in 1. A secret cup"))
    with pytest.raises(InvalidTaskError) as caught:
        read(message("a key"), "body")
    assert "ValueError" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_what_celery_knows_to_be_malformed_stays_as_it_is(monkeypatch) -> None:
    error = DecodeError("broken")
    with pytest.raises(DecodeError) as caught:
        reader(monkeypatch, error)(message("a key"), "body")
    assert caught.value is error


@pytest.mark.parametrize("args", [(), ("key", "more")])
def test_arguments_of_another_program_s_task_of_that_name_are_no_task(monkeypatch, args) -> None:
    with pytest.raises(InvalidTaskError, match="TypeError"):
        reader(monkeypatch, None)(message(*args), "body")
