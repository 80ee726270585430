"""A Celery consumer that drops a message of which no task can be made (promise P10).

Celery logs and drops most malformed messages, but a body without its three parts, a task name that
is a list, or a time limit that is text ends the worker. The message is then redelivered and ends
the next worker too. Dropping it loses nothing: the sweeper enqueues waiting jobs again.
"""

import logging
from collections.abc import Callable
from typing import Any

from celery.worker.consumer import Consumer
from vine import promise

logger = logging.getLogger("annotator.workers")


class CarefulConsumer(Consumer):
    """Celery's consumer, which a malformed message cannot end."""

    connection_errors: tuple[type[Exception], ...]
    channel_errors: tuple[type[Exception], ...]

    def create_task_handler(self, promise: Any = promise) -> Callable[[Any], Any]:
        """Return Celery's handler of messages, wrapped so that an error drops the message."""
        handle = super().create_task_handler(promise)

        def handle_or_drop(message: Any) -> None:
            try:
                # Our tasks have no time limits, and the pool fails later on one that is text.
                message.headers["timelimit"] = [None, None]
                handle(message)
            except (*self.connection_errors, *self.channel_errors):
                raise
            except Exception as error:  # noqa: BLE001 - each fails in its own way
                # The text of the error may quote the message, so only its type is logged.
                logger.error("dropped a malformed message (%s)", type(error).__name__)
                if not message.acknowledged:
                    message.reject_log_error(logger, self.connection_errors)

        return handle_or_drop
