"""The worker's end of a queue: what a message says of itself is looked at before anything is done.

Celery takes the headers of a message at their word. A time limit that is a text breaks its pool, a
name that is a list breaks the look-up, and each ends the worker as an unrecoverable error; Redis
then hands the message to the next worker. Ours say little, so that anything else is thrown away.
"""

import logging
from collections.abc import Callable
from typing import Any, Final

from celery.worker.consumer import Consumer
from vine import promise

logger = logging.getLogger(__name__)
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


def is_plain(headers: object) -> bool:
    """Tell whether headers are such as our own messages have."""
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
        carry_on = super().create_task_handler(promise)

        def take(message: Any) -> Any:
            if is_plain(message.headers):
                return carry_on(message)
            # Nothing of it is quoted: whoever wrote it also chose the words.
            logger.error("a message was thrown away: its headers are not of our making")
            return message.reject_log_error(logger, self.connection_errors)  # type: ignore[attr-defined]

        return take
