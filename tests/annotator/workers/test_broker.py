"""The filesystem broker: nobody can take a message that is not whole."""

import os
from pathlib import Path
from typing import Any

import pytest
from kombu import Connection

from annotator.workers.broker import Transport

pytestmark = pytest.mark.embedded
TRANSPORT = "annotator.workers.broker:Transport"


@pytest.fixture
def options(tmp_path: Path) -> dict[str, Any]:
    folders = ("data_folder_in", "control_folder", "processed_folder")
    for folder in folders:
        (tmp_path / folder).mkdir()
    found = {folder: str(tmp_path / folder) for folder in folders}
    return found | {"data_folder_out": found["data_folder_in"], "store_processed": True}


def test_a_message_has_its_name_only_once_it_is_whole(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(options["data_folder_in"])
    takeable: list[list[str]] = []
    flush = os.fsync

    def look_and_flush(descriptor: int) -> None:
        takeable.append([path.name for path in folder.iterdir() if path.name.endswith(".msg")])
        flush(descriptor)

    monkeypatch.setattr(os, "fsync", look_and_flush)
    connection = Connection("filesystem://", transport=TRANSPORT, transport_options=options)
    # No queue of the application: kombu remembers for the whole process which ones it has bound.
    with connection, connection.SimpleQueue("aside") as queue:
        queue.put({"pk": "1"})
        assert takeable[0] == []
        assert len(list(folder.glob("*.aside.msg"))) == 1
        message = queue.get(timeout=5)
        assert message.payload == {"pk": "1"}
        message.ack()
    assert list(folder.glob("*.msg")) == []


def test_the_embedded_broker_uses_it(settings: Any) -> None:
    if not settings.CELERY_BROKER_URL.startswith("filesystem:"):
        pytest.skip("another broker is set")
    from annotator.celery import app

    assert isinstance(app.connection_for_write().transport, Transport)
