"""The filesystem broker's transport: a message is under its name once it is whole.

Messages are all that it keeps in files.
"""

import time
import uuid
from pathlib import Path
from typing import Any

from kombu.transport import filesystem, virtual
from kombu.utils.json import dumps

from annotator.files.whole import write_whole


class Channel(filesystem.Channel):
    """Puts messages by renaming them, and shares no table of who listens.

    kombu's own channel opens the file under its name and then writes: a worker that looks in
    between takes an empty message, and ends on it as an unrecoverable error. Its tables of
    broadcasts are files that every process writes in place: two workers that begin together may
    leave half of each, and no worker starts on that folder again. A queue is found by its name
    without them, and nothing is broadcast.
    """

    supports_fanout = False
    get_table = virtual.Channel.get_table  # type: ignore[assignment]  # its tuples are named

    def _put(  # type: ignore[override]  # kombu names it in two ways itself
        self, queue: str, payload: Any, **kwargs: Any
    ) -> None:
        name = f"{round(time.monotonic() * 1000)}_{uuid.uuid4()}.{queue}.msg"
        write_whole(Path(self.data_folder_out) / name, [dumps(payload).encode()])


class Transport(filesystem.Transport):
    """kombu's transport with our channel."""

    Channel = Channel
