"""Measures this application as `make run` starts it, on SQLite or a given PostgreSQL."""

import secrets
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shared import ROOT
from shared.hosts import fresh_database

from annotation_flow.clients import Wire
from annotation_flow.drive import drive
from annotation_flow.figures import Counted, Figures
from annotation_flow.processes import (
    HOST,
    Server,
    answers,
    ask,
    clean_environment,
    free_port,
    helper,
    running,
)
from annotation_flow.scale import Scale

WARM_PATH = "/api/v1/campaigns/flow/"


class OurInterface:
    """next and ratings of our REST API."""

    def take(self, wire: Wire) -> tuple[str, Any] | None:
        status, row = wire.call("POST", "/api/v1/campaigns/flow/assignments/next/")
        # The text is the only name of an item that an annotator is shown.
        return (row["candidate"]["claims"], row["id"]) if status == 200 else None

    def submit(self, wire: Wire, item: Any, scores: Mapping[str, int]) -> bool:
        key = {"Idempotency-Key": str(uuid.uuid4())}
        body = {"assignment": item, "scores": dict(scores)}
        return wire.call("POST", "/api/v1/ratings/", body, key)[0] == 201


def measure_ours(scale: Scale, folder: Path, database_url: str = "") -> Figures:
    """Fill a fresh database, serve it, have the annotators work, and count."""
    name = "ours, PostgreSQL" if database_url else "ours, SQLite"
    with serving_ours(scale, folder, database_url) as served:
        return drive(
            name,
            scale,
            served.server,
            [OurInterface() for _ in served.wires],
            served.wires,
            warm_path=WARM_PATH,
            count=served.count,
        )


@dataclass(frozen=True, slots=True)
class Served:
    """A running server over a filled database, a connection for each annotator, and the count."""

    server: Server
    wires: list[Wire]
    count: Callable[[], Counted]


@contextmanager
def serving_ours(
    scale: Scale, folder: Path, database_url: str = "", **settings: str
) -> Iterator[Served]:
    """Serve a fresh and filled database as `make run` does; `settings` go into its environment."""
    with _database(database_url) as (given, roots):
        port = free_port()
        environment = clean_environment(
            given | {"DATA_DIR": str(folder / "data"), "PORT": str(port)}
        )
        inside = {"DJANGO_SETTINGS_MODULE": "config.settings", "PYTHONPATH": str(ROOT)}
        beside = helper(sys.executable, "ours_database")
        tokens = ask(beside, environment | inside, "fill", *scale.arguments())["tokens"]
        with running(
            [sys.executable, "-m", "scripts.supervise"],
            is_ready=lambda: answers(port, "/healthz"),
            log=folder / "ours.log",
            environment=environment | settings,
            folder=ROOT,
            also=roots,
            parts=("web server", "worker", "sweeper", "postgres"),
        ) as server:
            yield Served(
                server,
                [Wire(port, {"Authorization": f"Token {token}"}) for token in tokens],
                lambda: Counted(**ask(beside, environment | inside, "count")),
            )


@contextmanager
def _database(url: str) -> Iterator[tuple[dict[str, str], tuple[int, ...]]]:
    """Give the settings and server processes of a database made for this run, dropped after it."""
    if not url:
        yield {}, ()
        return
    import psycopg2

    with fresh_database(url) as address, closing(psycopg2.connect(address)) as connection:
        # The parent of a connection's process is the server, if it runs on this machine.
        status = Path(f"/proc/{connection.get_backend_pid()}/stat")
        is_here = status.exists() and "postgres" in status.read_text(encoding="utf-8")
        roots = (int(status.read_text("utf-8").rpartition(")")[2].split()[1]),) if is_here else ()
        if not roots:
            print("PostgreSQL runs elsewhere: its CPU is not counted.")
        settings = {
            "DATABASE_URL": address,
            "SECRET_KEY": secrets.token_urlsafe(64),
            "ALLOWED_HOSTS": HOST,
            "ALLOW_INSECURE_HTTP": "1",
        }
        yield settings, roots
