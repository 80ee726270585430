"""P14: a full disk loses nothing acknowledged, is reported, and work goes on once it has space."""

import http.client
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyrage
import pytest
from django.db import connection

from annotator.models import Assignment
from annotator.operations.backups.sealing import seal_to
from annotator.operations.backups.services import make_backup
from tests.promises.fresh_host import Host, fresh_host
from tests.promises.harness import SCALE, SERVED, make_callers, rating_body
from tests.promises.small_disks import fill, small_disk
from tests.served.server import HOST, Server

pytestmark = [pytest.mark.promise("P14"), *SERVED]
CYCLES = 1 if SCALE == 1 else 10
SIZE_MB = 64
FULL = (503, 507)
# Sent to the full disk, and how many at most before it refuses one: SQLite's log of the last
# changes has space of its own, for more or for fewer of them.
SENT_TO_A_FULL_DISK = 30
MOST_SENT = 200


def upload(server: Server, slug: str, token: str) -> int:
    """Send a file of claim sets that no memory takes; return the status."""
    line = b'{"reference_id": "x", "reference_claims": "1. A cup.", "candidates": []}\n'
    body = b"--b\r\n" + b'Content-Disposition: form-data; name="file"; filename="x.jsonl"\r\n\r\n'
    body += line * 36_000 + b"\r\n--b--\r\n"
    headers = {"Authorization": f"Token {token}"}
    headers |= {"Content-Type": "multipart/form-data; boundary=b"}
    wire = http.client.HTTPConnection(HOST, server.port, timeout=60)
    try:
        # The answer may come before all of the file is sent.
        with suppress(BrokenPipeError):
            wire.request("POST", f"/api/v1/campaigns/{slug}/claim-sets/import/", body, headers)
        return wire.getresponse().status
    finally:
        wire.close()


def test_a_full_disk_loses_nothing_acknowledged_and_heals_without_a_restart(
    cast, settings, tmp_path, tally
) -> None:
    settings.DATA_DIR = tmp_path / "data"
    reference = cast.reference("r1", (MOST_SENT + 10) * CYCLES)
    (caller,) = make_callers(cast.campaign, 1, 0)
    cast.campaign.memberships.create(user=caller.user, role="admin")
    todo = [row.pk for row in cast.assign(caller.user, reference)]
    sealed = tmp_path / "all.backup"
    key = pyrage.x25519.Identity.generate()
    (tmp_path / "key").write_text(str(key))
    make_backup(target=sealed, seal=seal_to([str(key.to_public())]))
    with small_disk(SIZE_MB) as disk, fresh_host(disk / "var") as host:
        host.restore(sealed, tmp_path / "key")
        server = Server(**host.env)
        server.start()
        try:
            caller.port = server.port
            acknowledged = [
                pk for _ in range(CYCLES) for pk in one_cycle(caller, server, todo, disk)
            ]
            count = stored(host, caller)
            tally.tried(submits=len(acknowledged), fillings_of_a_disk=CYCLES)
            tally.found(
                lost=max(0, len(acknowledged) - count), doubled=max(0, count - len(acknowledged))
            )
            assert count == len(acknowledged)
        finally:
            server.kill()


def one_cycle(caller: Any, server: Server, todo: list[Any], disk: Path) -> list[Any]:
    """Rate, fill the disk, rate and upload in vain, make space, rate; return what was stored."""
    done = [todo.pop() for _ in range(3)]
    for pk in done:
        assert send(caller, pk).status == 201
    filler = fill(disk)
    full: list[Any] = []
    refused: dict[Any, Any] = {}
    # PostgreSQL lies on another disk here: only files are refused.
    has_to_refuse = connection.vendor == "sqlite"
    while len(full) < SENT_TO_A_FULL_DISK or (has_to_refuse and not refused):
        assert len(full) < MOST_SENT, "a full disk took them all"
        full.append(todo.pop())
        answer = send(caller, full[-1])
        if answer.status != 201:
            refused[full[-1]] = answer
    assert {answer.status for answer in refused.values()} <= set(FULL)
    assert all("detail" in answer.body for answer in refused.values())
    assert upload(server, "cups", caller.token) in FULL
    filler.unlink()
    for pk in refused:
        assert send(caller, pk).status == 201
    return [*done, *full]


def send(caller: Any, pk: Any) -> Any:
    return caller.submit(rating_body(pk, (6, 6, 6, 6), "x" * 3000), str(uuid.uuid5(pk, "once")))


def stored(host: Host, caller: Any) -> int:
    done = host.command("export_ratings", "cups", "--format", "jsonl")
    assert done.returncode == 0, done.stderr
    assert Assignment.objects.filter(annotator=caller.user, status="open").exists()
    return len(done.stdout.splitlines())
