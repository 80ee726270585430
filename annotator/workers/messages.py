"""What a worker does with a message that no task can be made of: it is thrown away, and logged.

Celery throws away what it knows to be malformed. Anything else, such as a body without its three
parts, ends the worker as an unrecoverable error, and Redis hands the message to the next one: one
bad message stops a queue for good. A job loses nothing, as its row is rung for again.
"""

from collections.abc import Callable
from typing import Any

from celery import Task
from celery.exceptions import InvalidTaskError
from celery.worker import strategy
from kombu.exceptions import ContentDisallowed, DecodeError

KNOWN = (InvalidTaskError, ContentDisallowed, DecodeError)


def careful_strategy(*given: Any, **options: Any) -> Callable[..., Any]:
    """Return Celery's own way from a message to a task, which no message can break."""
    carry_on = strategy.default(*given, **options)

    def handle(*message: Any, **more: Any) -> Any:
        try:
            return carry_on(*message, **more)
        except KNOWN:
            raise
        except Exception as error:
            # Its words may quote the message, so only its kind is told.
            raise InvalidTaskError(f"no task can be made of it ({type(error).__name__})") from error

    return handle


class CarefulTask(Task):
    """A task whose messages are read with care."""

    Strategy = "annotator.workers.messages:careful_strategy"
