"""What `make run` serves with: its programs, what they import, the steps before their start."""

import gc
import importlib
import pkgutil
import sys
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from core.jobs.queues import Queues

HOST: Final = "127.0.0.1"
# A longer head of a request is answered 431; browsers and proxies stay far below it.
LONGEST_HEAD_BYTES: Final = 64 * 1024
# What the programs would import by themselves before they do their work, none of it heavy: torch
# and scipy stay with the job that needs them.
SHARED: Final = (
    *("config.asgi", "config.urls", "annotator.management.commands.sweep"),
    *("granian.server", "celery.apps.worker", "celery.concurrency.solo"),
)
MIGRATE: Final = ["migrate", "--verbosity=0"]
LOAD_DEMO: Final = ["load_demo"]
COLLECT_FILES: Final = ["collectstatic", "--noinput", "--verbosity=0"]


def load() -> None:
    """Import what the programs share, and keep the collector of garbage from touching it.

    What nobody writes to is in memory once, however many processes read it. The collector would
    write to every object, and is in the way while ever more of them are made.
    """
    gc.disable()
    for name in SHARED:
        importlib.import_module(name)
    from config.celery import app

    app.loader.import_default_modules()
    # What speaks with the broker that the settings name is imported, and says nothing yet.
    app.connection_for_read().get_transport_cls()
    gc.freeze()
    gc.enable()


def prepare() -> None:
    """Bring the database up to date and fill it; leave when that fails."""
    from django.conf import settings
    from django.core.management import CommandError, call_command

    # The demo is for local mode alone: production gets no known logins.
    steps = [LOAD_DEMO] if settings.IS_LOCAL else [COLLECT_FILES]
    # In production a migration also grants rights, by settings that may be others than before.
    if not (settings.IS_LOCAL and is_migrated()):
        steps.insert(0, MIGRATE)
    for step in steps:
        try:
            call_command(*step)
        except CommandError as error:
            sys.exit(f"{step[0]}: {error}")


def is_migrated() -> bool:
    """Return whether the database holds the migrations of this code.

    Their names are asked for and none is read, which takes longer than all else at a second start.
    """
    from django.apps import apps
    from django.db import connection
    from django.db.migrations.recorder import MigrationRecorder

    known = {
        (app.label, module.name)
        for app in apps.get_app_configs()
        for module in pkgutil.iter_modules([str(Path(app.path) / "migrations")])
    }
    # Beside them stand those that they replace, and those of a newer release.
    return known <= MigrationRecorder(connection).applied_migrations().keys()


def serve_pages(port: int) -> None:
    """Be the web server."""
    from granian.constants import HTTPModes, Interfaces
    from granian.http import HTTP1Settings
    from granian.log import LogLevels
    from granian.server import Server

    Server(
        "config.asgi:application",
        address=HOST,
        port=port,
        interface=Interfaces.ASGINL,
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(max_buffer_size=LONGEST_HEAD_BYTES),
        websockets=False,
        workers=2,
        respawn_failed_workers=True,
        respawn_interval=0.5,
        workers_kill_timeout=5,
        log_level=LogLevels.warning,
    ).serve()


def work(queue: Queues) -> None:
    """Be the worker of a queue, which does one job after the other in this process."""
    from celery.exceptions import SecurityWarning
    from celery.utils.nodenames import host_format

    from config.celery import app

    # What it says to root stands in the way of the passwords above it, and names an option that
    # `make run` lacks. It is about messages that are unpickled; ours are JSON.
    warnings.simplefilter("ignore", SecurityWarning)

    worker = app.Worker(
        hostname=host_format(f"{queue.value}@%h"),
        queues=queue.value,
        pool="solo",
        concurrency=1,
        without_gossip=True,
        without_mingle=True,
        loglevel="WARNING",
        quiet=True,
    )
    worker.start()
    sys.exit(worker.exitcode)


def sweep() -> None:
    """Be the sweeper, which enqueues waiting jobs."""
    from django.core.management import call_command

    call_command("sweep", forever=True)


def programs(port: int) -> dict[str, Callable[[], None]]:
    """Return what is served with, by name: the web server, a worker a queue, the sweeper."""
    workers = {f"worker {queue.value}": partial(work, queue) for queue in Queues}
    return {"web server": partial(serve_pages, port), **workers, "sweeper": sweep}
