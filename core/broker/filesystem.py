"""kombu's filesystem transport, with messages that have their name only once they are complete."""

import time
import uuid
from pathlib import Path
from typing import Any

from kombu.transport import filesystem
from kombu.utils.json import dumps

from patclaimeval.files import atomic_write


class Channel(filesystem.Channel):
    """Writes a message aside and renames it.

    kombu opens the file under its final name and then writes to it. A worker that looks in between
    takes an empty message and ends (P10): of 2,240 messages, 6 were taken so.
    """

    def _put(self, queue: str, payload: Any, **_: Any) -> None:  # type: ignore[override]
        name = f"{round(time.monotonic() * 1000)}_{uuid.uuid4()}.{queue}.msg"
        atomic_write(Path(self.data_folder_out) / name, [dumps(payload).encode()])


class Transport(filesystem.Transport):
    """kombu's transport with our channel."""

    Channel = Channel
