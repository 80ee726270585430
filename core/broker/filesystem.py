"""The filesystem broker's transport: a message has its name once it is complete, and is taken once.

Messages are all that it stores in files.
"""

import logging
import os
import stat
import time
import uuid
from base64 import b64decode
from contextlib import suppress
from pathlib import Path
from queue import Empty
from typing import Any, Final

from kombu.transport import filesystem, virtual
from kombu.utils.json import dumps, loads

from core.files import atomic_write

logger = logging.getLogger("annotator.workers")
# Ours hold a key and have some hundred bytes.
MOST_BYTES: Final = 64 * 1024
_TEXTS: Final = ("body", "content-type", "content-encoding")


def is_envelope(found: object) -> bool:
    """Return whether kombu can make a message of it: texts, headers, and properties with a tag."""
    if not isinstance(found, dict):
        return False
    headers, properties = found.get("headers"), found.get("properties")
    return (
        all(isinstance(found.get(name), str) for name in _TEXTS)
        # kombu unpacks what claims to be compressed, before anybody looks at it.
        and isinstance(headers, dict)
        and "compression" not in headers
        and isinstance(properties, dict)
        and isinstance(properties.get("delivery_tag"), str)
        and isinstance(info := properties.get("delivery_info"), dict)
        and all(isinstance(info.get(name), str) for name in ("exchange", "routing_key"))
        and _is_body(found["body"], properties.get("body_encoding"))
    )


def _is_body(body: str, encoding: object) -> bool:
    if len(body) > MOST_BYTES or encoding not in ("base64", "utf-8", None):
        return False
    try:
        return encoding != "base64" or bool(b64decode(body, validate=True))
    except ValueError:
        return False


def read_envelope(data: bytes) -> dict[str, Any] | None:
    """Return what is in an envelope, and None where it is none of ours."""
    if len(data) > MOST_BYTES:
        return None
    try:
        found = loads(data)
    # kombu's reader knows marked texts as dates, numbers and bytes; each fails in its own way.
    except Exception:  # noqa: BLE001
        return None
    return found if is_envelope(found) else None


def log_refused(queue: str, what: str) -> None:
    """Log one line of a message that is none; nothing of it is quoted."""
    logger.error("broker, queue %s: %s; jobs lose nothing, they are announced again", queue, what)


# What is no message lies here, beside the folder of messages: nobody waits for it, or reads it.
SET_ASIDE: Final = "set_aside"
# A pipe is not waited for, and a link is not followed to what is no message.
_CAREFULLY: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC


class Channel(filesystem.Channel):
    """Puts messages by renaming them, takes them by removing them, shares no table of who listens.

    kombu's own channel opens the file under its name and then writes: a worker that looks in
    between takes an empty message, and ends on it as an unrecoverable error. Its tables of
    broadcasts are files that every process writes in place: two workers that begin together may
    leave half of each, and no worker starts on that folder again. A queue is found by its name
    without them, and nothing is broadcast. And it takes a message by moving it to the system's
    temporary folder: where that one is full, a worker receives nothing more and reports nothing.
    """

    supports_fanout = False
    get_table = virtual.Channel.get_table  # type: ignore[assignment]  # its tuples are named

    def _put(  # type: ignore[override]  # kombu names it in two ways itself
        self, queue: str, payload: Any, **kwargs: Any
    ) -> None:
        name = f"{round(time.monotonic() * 1000)}_{uuid.uuid4()}.{queue}.msg"
        atomic_write(Path(self.data_folder_out) / name, [dumps(payload).encode()])

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        for path in self._messages(queue):
            try:
                payload = _read(path)
                if payload is not None:
                    # Of several who have read it, one removes it: that one has taken it.
                    path.unlink()
                    return payload
                _set_aside(path, queue)
            except FileNotFoundError:
                continue
        raise Empty

    def _messages(self, queue: str) -> list[Path]:
        """Return what is called a message of the queue, the oldest first."""
        folder = Path(self.data_folder_in)
        ending = f"{queue}.msg"
        return sorted(path for path in folder.iterdir() if path.name.partition(".")[2] == ending)


def _read(path: Path) -> Any:
    """Return the message in a file, or None where it holds none or is no plain file.

    Raises FileNotFoundError where another has taken it.
    """
    try:
        descriptor = os.open(path, _CAREFULLY)
    except FileNotFoundError:
        raise
    except OSError:  # a link, a socket, or nothing that we may read
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return read_envelope(file.read(MOST_BYTES + 1))
    finally:
        os.close(descriptor)


def _set_aside(path: Path, queue: str) -> None:
    """Move what is no message out of the way; where it cannot be moved it is passed over."""
    folder = path.parent.parent / SET_ASIDE
    with suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        path.rename(folder / path.name)
        log_refused(queue, f"what is no message was moved to {folder}")


class Transport(filesystem.Transport):
    """kombu's transport with our channel."""

    Channel = Channel
