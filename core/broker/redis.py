"""Redis as kombu speaks with it, but for what no message of ours is: it ends no worker.

Whatever stands in a queue's key is input: kombu reads it as JSON and takes its parts for granted,
and any error ends the worker, which takes seconds to begin again.
"""

from typing import Any

from kombu.transport import redis
from redis.exceptions import ResponseError

from core.broker.filesystem import is_envelope, log_refused

THROWN_AWAY = "what is no message was thrown away"
_UNREADABLE = (ArithmeticError, AttributeError, KeyError, RecursionError, TypeError, ValueError)


class Channel(redis.Channel):
    """kombu's channel, which reads on after what it cannot read."""

    def _new_queue(self, queue: str, **options: Any) -> Any:
        self._set_aside_keys([queue])
        return super()._new_queue(queue, **options)

    def _brpop_read(self, **options: Any) -> Any:
        transport: Any = self.connection
        transport.is_delivering = False
        try:
            return super()._brpop_read(**options)  # type: ignore[misc]
        except ResponseError:
            if not self._set_aside_keys(list(self._active_queues)):
                raise
        except _UNREADABLE:
            if transport.is_delivering:
                raise  # nothing of the envelope, which was looked at
            log_refused("any", THROWN_AWAY)
        return True

    def _set_aside_keys(self, queues: list[str]) -> list[str]:
        """Rename the keys of queues that hold no list, at which no worker can wait."""
        moved = []
        with self.conn_or_acquire() as client:
            for queue in queues:
                for step in self.priority_steps:
                    key = self._q_for_pri(queue, step)  # type: ignore[attr-defined]
                    if client.type(key) not in (b"list", b"none", "list", "none"):
                        client.rename(key, f"{key}.set-aside")
                        moved.append(queue)
                        log_refused(queue, "its key in Redis held no list and was renamed")
        return moved


class Transport(redis.Transport):
    """kombu's transport with our channel."""

    Channel = Channel
    is_delivering = False

    def _deliver(self, message: Any, queue: str | None) -> None:
        self.is_delivering = True
        if is_envelope(message):
            super()._deliver(message, queue)
        else:
            log_refused(queue or "none", THROWN_AWAY)
