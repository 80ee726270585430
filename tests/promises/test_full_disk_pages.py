"""P14: on a full disk every page is answered, by itself or by a plain refusal, and nobody dies."""

import http.client
import os
import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from django.db import connection
from django.test import Client

from annotator.access import matrix
from annotator.access.scopes import roles_of
from annotator.models import BrowserSession, User
from core.clock import database_now
from tests.guards.blindness.addresses import addresses
from tests.guards.blindness.marks import HERE
from tests.guards.blindness.states import Scenario, furnish
from tests.promises.harness import SERVED
from tests.promises.small_disks import fill, small_disk
from tests.served.server import HOST, Server

pytestmark = [pytest.mark.promise("P14"), *SERVED]
SIZE_MB: Final = 64
FULL: Final = 507
PEOPLE: Final = ("one", "adjudicator", "researcher", "admin")


@pytest.fixture
def scenario(
    transactional_db: None, settings: Any, tmp_path: Path, quick_passwords: None
) -> Scenario:
    settings.DATA_DIR = tmp_path
    return furnish(HERE, "closed")


def moved_to(disk: Path) -> str:
    """Put the test's database on a disk, where it is a file; return its name there."""
    if connection.vendor != "sqlite":
        return str(connection.settings_dict["NAME"])
    with connection.cursor() as cursor:
        cursor.execute("VACUUM INTO %s", [str(disk / "db.sqlite3")])
    return str(disk / "db.sqlite3")


def every_route(scenario: Scenario) -> Iterator[tuple[str, str]]:
    """Yield one address of each route that somebody may read, with the cookie of one who may."""
    left = {name for name, rule in matrix.matrix().items() if "GET" in rule.methods}
    for who in PEOPLE:
        client = Client()
        client.force_login(scenario.people[who])
        cookie = f"sessionid={client.cookies['sessionid'].value}"
        for address in addresses(scenario):
            rule = matrix.matrix()[address.route]
            if address.route in left and may_read(rule, scenario.people[who]):
                left.remove(address.route)
                yield address.path, cookie
    # Their sessions are to be seen again: a write that comes with a page.
    earlier = database_now() - timedelta(minutes=5)
    BrowserSession.objects.update(seen_at=earlier, started_at=earlier)


def may_read(rule: matrix.Rule, user: User) -> bool:
    return rule.is_public or bool(rule.principals & roles_of(user))


def status_of(server: Server, path: str, cookie: str) -> int:
    """Return the status of a page, 0 where the line broke."""
    wire = http.client.HTTPConnection(HOST, server.port, timeout=60)
    try:
        wire.request("GET", path, headers={"Cookie": cookie})
        answer = wire.getresponse()
        answer.read()
        return answer.status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        wire.close()


def programs_of(server: Server) -> set[int]:
    """Return the ids of the server and its workers."""
    assert server._process is not None
    found = set()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if os.getpgid(int(entry.name)) == server._process.pid:
                found.add(int(entry.name))
        except OSError:
            continue
    return found


@pytest.mark.exhaustive
def test_every_page_on_a_full_disk_is_answered_and_no_process_dies(scenario, tmp_path) -> None:
    pages = list(every_route(scenario))
    assert len(pages) > 80
    with small_disk(SIZE_MB) as disk:
        shutil.copytree(tmp_path, disk / "var")
        # Its own places, not those of the test.
        places = {"DATA_DIR": str(disk / "var"), "SERVED_DATABASE": moved_to(disk)}
        places["PROMETHEUS_MULTIPROC_DIR"] = str(disk / "var" / "figures")
        server = Server(workers=1, **places)
        try:
            server.start()
            assert status_of(server, *pages[0]) == 200
            fill(disk)
            for _ in ("a disk that fills", "a start on a full disk"):
                # Only what a page has to write, such as the act of reading, is refused.
                assert len(refused_pages(server, pages)) < len(pages) / 8
                server.stop()
                server.start()
        finally:
            server.kill()


def refused_pages(server: Server, pages: list[tuple[str, str]]) -> list[str]:
    """Ask for every page; return those that were refused, all of them with a message."""
    alive = programs_of(server)
    answers = {path: status_of(server, path, cookie) for path, cookie in pages}
    # 400 would blame who asked: they sent what they always send.
    fine = {*range(200, 400), 404, 422, FULL}
    wrong = {path: answer for path, answer in answers.items() if answer not in fine}
    assert (wrong, programs_of(server)) == ({}, alive)
    return [path for path, answer in answers.items() if answer == FULL]
