"""What a worker does with a message that no task can be made of: it is thrown away, and logged.

Celery throws away what it knows to be malformed. Anything else, such as a body without its three
parts, ends the worker as an unrecoverable error, and Redis hands the message to the next one: one
bad message stops a queue for good. So does one whose arguments are not the task's, as a program of
another version sends it. A job loses nothing, as its row is rung for again.
"""

from collections.abc import Callable
from typing import Any

from celery import Task
from celery.exceptions import InvalidTaskError
from celery.worker import strategy
from kombu.exceptions import ContentDisallowed, DecodeError

KNOWN = (InvalidTaskError, ContentDisallowed, DecodeError)


def careful_strategy(task: Any, *given: Any, **options: Any) -> Callable[..., Any]:
    """Return Celery's own way from a message to a task, which no message can break."""
    carry_on = strategy.default(task, *given, **options)

    def handle(message: Any, *more: Any, **most: Any) -> Any:
        try:
            args, kwargs, _ = message.payload
            # Raises TypeError where a program of another version meant another task by the name.
            task.__header__(*args, **kwargs)
            return carry_on(message, *more, **most)
        except KNOWN:
            raise
        except Exception as error:
            # Its words may quote the message, so only its kind is told.
            raise InvalidTaskError(f"no task can be made of it ({type(error).__name__})") from error

    return handle


class CarefulTask(Task):
    """A task whose messages are read with care."""

    Strategy = "annotator.workers.messages:careful_strategy"
