"""A worker's end of a queue: messages that no task can be made of are logged and thrown away.

Celery trusts the headers of a message. A time limit that is a text breaks its pool, a
name that is a list breaks the look-up, and each ends the worker as an unrecoverable error; Redis
then hands the message to the next worker. Ours hold little, so that anything else is thrown away.

Celery throws away what it knows to be malformed. Anything else, such as a body without its three
parts, ends the worker as an unrecoverable error, and Redis hands the message to the next one: one
bad message stops a queue for good. So does one whose arguments are not the task's, as a program of
another version sends it. A job loses nothing, as its row is enqueued again.
"""

import logging
import re
from collections.abc import Callable
from typing import Any, Final

from celery import Task
from celery.exceptions import InvalidTaskError
from celery.worker import strategy
from celery.worker.consumer import Consumer
from kombu.exceptions import ContentDisallowed, DecodeError
from vine import promise

from core import traces

logger = logging.getLogger("annotator.workers")
# What no task of ours is ever given; each may be there, and hold nothing.
NEVER: Final[dict[str, tuple[Any, ...]]] = {
    "eta": (None,),
    "expires": (None,),
    "retries": (None, 0),
    "timelimit": (None, [None, None]),
    "stamps": (None, {}),
    "stamped_headers": (None, []),
}
_PLAIN: Final = (str, int, type(None))
_KEY: Final = re.compile(r"[0-9a-f-]{36}")
_OUR_NAMES: Final = re.compile(r"(?:annotator|scoring)\.[a-z_]{1,60}")
# The row of a job is what counts: the sweeper sends its message again, under the names of today.
STAYS: Final = "its job stays in the database and is announced again"


def is_plain(headers: object) -> bool:
    """Return whether headers are such as our own messages have."""
    if not isinstance(headers, dict):
        return False
    names = (headers.get("task"), headers.get("id"))
    if not all(isinstance(name, str) for name in names):
        return False
    return all(
        value in NEVER[name] if name in NEVER else isinstance(value, _PLAIN)
        for name, value in headers.items()
    )


class CarefulConsumer(Consumer):
    """Celery's consumer, which no headers can end."""

    def create_task_handler(self, promise: Any = promise) -> Callable[[Any], Any]:
        """Return what takes messages: those with headers like ours go Celery's own way."""
        proceed = super().create_task_handler(promise)

        def take(message: Any) -> Any:
            if is_plain(message.headers):
                return proceed(message)
            return self._refuse(message, "its headers are not of our making")

        return take

    def on_unknown_message(self, body: Any, message: Any) -> None:
        """Refuse a message that names no task."""
        self._refuse(message, "it names no task")

    def on_unknown_task(self, body: Any, message: Any, exc: Exception) -> None:
        """Refuse a task that this program does not know: an older or a newer one has sent it."""
        name = str(message.headers.get("task"))
        named = f" ({name})" if _OUR_NAMES.fullmatch(name) else ""
        self._refuse(message, f"this program, of its version, knows no such task{named}")

    def on_invalid_task(self, body: Any, message: Any, exc: Exception) -> None:
        """Refuse a message that does not fit its task."""
        self._refuse(message, f"it does not fit {message.headers.get('task')}")

    def on_decode_error(self, message: Any, exc: Exception) -> None:
        """Refuse a message whose body cannot be read."""
        self._refuse(message, "its body cannot be read")

    def _refuse(self, message: Any, why: str) -> None:
        """Take a message off its queue and log it in one line, which quotes nothing of it.

        Whoever wrote it also chose its text. Put back, it would come again at once, for ever.
        """
        logger.error("a message was not taken: %s; %s", why, STAYS)
        message.reject_log_error(logger, self.connection_errors)  # type: ignore[attr-defined]


KNOWN = (InvalidTaskError, ContentDisallowed, DecodeError)


def careful_strategy(task: Any, *given: Any, **options: Any) -> Callable[..., Any]:
    """Return Celery's own way from a message to a task, which no message can break."""
    proceed = strategy.default(task, *given, **options)

    def handle(message: Any, *more: Any, **most: Any) -> Any:
        try:
            args, kwargs, _ = message.payload
            # Raises TypeError where a program of another version meant another task by the name.
            task.__header__(*args, **kwargs)
            return proceed(message, *more, **most)
        except KNOWN:
            raise
        except Exception as error:
            # Its text may quote the message, so only its kind is logged.
            raise InvalidTaskError(f"no task can be made of it ({type(error).__name__})") from error

    return handle


class CarefulTask(Task):
    """A task whose messages are read with care, and go on with the trace of who sent them."""

    Strategy = "core.broker.consumer:careful_strategy"

    def apply_async(self, *args: Any, **options: Any) -> Any:
        """Send the message."""
        if parent := traces.headers():
            options["headers"] = parent | (options.get("headers") or {})
        return super().apply_async(*args, **options)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Do what a message asks for: the job whose key is its argument."""
        key = next((str(each) for each in args if _KEY.fullmatch(str(each))), "")
        with (
            traces.continued(getattr(self.request, traces.PARENT, None)),
            traces.span(str(self.name), {"job.key": key}),
        ):
            return super().__call__(*args, **kwargs)
