"""The filesystem broker's transport: a message is under its name once it is whole, and taken once.

Messages are all that it keeps in files.
"""

import time
import uuid
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.transport import filesystem, virtual
from kombu.utils.json import dumps, loads

from annotator.files.whole import write_whole


class Channel(filesystem.Channel):
    """Puts messages by renaming them, takes them by removing them, shares no table of who listens.

    kombu's own channel opens the file under its name and then writes: a worker that looks in
    between takes an empty message, and ends on it as an unrecoverable error. Its tables of
    broadcasts are files that every process writes in place: two workers that begin together may
    leave half of each, and no worker starts on that folder again. A queue is found by its name
    without them, and nothing is broadcast. And it takes a message by moving it to the system's
    temporary folder: where that one is full, a worker hears nothing more and says nothing.
    """

    supports_fanout = False
    get_table = virtual.Channel.get_table  # type: ignore[assignment]  # its tuples are named

    def _put(  # type: ignore[override]  # kombu names it in two ways itself
        self, queue: str, payload: Any, **kwargs: Any
    ) -> None:
        name = f"{round(time.monotonic() * 1000)}_{uuid.uuid4()}.{queue}.msg"
        write_whole(Path(self.data_folder_out) / name, [dumps(payload).encode()])

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        for path in sorted(Path(self.data_folder_in).iterdir()):
            if path.name.partition(".")[2] != f"{queue}.msg":
                continue
            try:
                payload = path.read_bytes()
                # Of several who have read it, one removes it: that one has taken it.
                path.unlink()
            except FileNotFoundError:
                continue
            return loads(payload)
        raise Empty


class Transport(filesystem.Transport):
    """kombu's transport with our channel."""

    Channel = Channel
