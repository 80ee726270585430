"""Figures for Prometheus, counted without mapping files into memory.

prometheus-client maps its files: a mapped page that finds no space on a full disk ends the process,
and every request in it, by SIGBUS. A write that finds none only fails. The form is the library's.

Routes, methods and codes are their only labels: no name, no id, no text.
"""

import math
import os
import shutil
import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from celery import current_app
from django.conf import settings
from django.db.models import Count, Max, Min, Q
from kombu.exceptions import OperationalError
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest, values
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from annotator.models import SWEEPER, Assignment, AssignmentStatus, Backup
from annotator.operations.presences import alive
from core.clock import database_now
from core.jobs.queues import Queues
from core.jobs.registry import kinds_of_jobs
from core.jobs.rows import DUE, FINAL_STATUSES, JobStatus

_USED: Final = struct.Struct("ii")
_LENGTH: Final = struct.Struct("i")
_VALUE: Final = struct.Struct("dd")


class CountFile:
    """What the library asks of its file; it calls under a lock, one thread at a time."""

    def __init__(self, filename: str) -> None:
        self._filename = filename
        self._file: int | None = None
        self._used = _USED.size
        self._positions: dict[str, int] = {}

    def read_value(self, key: str) -> tuple[float, float]:
        """Return what a count begins with, as no other process writes to this one's file."""
        return 0.0, 0.0

    def write_value(self, key: str, value: float, timestamp: float) -> None:
        """Write a count; where there is no space, its next write brings the whole of it."""
        with suppress(OSError):
            if self._file is None:
                self._file = self._created()
            if key in self._positions:
                _put(self._file, _VALUE.pack(value, timestamp), self._positions[key])
            else:
                self._append(self._file, key, _VALUE.pack(value, timestamp))

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _created(self) -> int:
        """Return the open file, which is seen only with its first number in it."""
        new = Path(f"{self._filename}.new")
        file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            _put(file, _USED.pack(self._used, 0), 0)
            new.rename(self._filename)
        except OSError:
            os.close(file)
            raise
        return file

    def _append(self, file: int, key: str, value: bytes) -> None:
        text = key.encode()
        padded = text + b" " * (8 - (len(text) + _LENGTH.size) % 8)
        entry = _LENGTH.pack(len(text)) + padded + value
        _put(file, entry, self._used)
        # A reader believes this number: what could not be written whole is not counted by it.
        _put(file, _USED.pack(self._used + len(entry), 0), 0)
        self._used += len(entry)
        self._positions[key] = self._used - len(value)


def _put(file: int, data: bytes, position: int) -> None:
    if os.pwrite(file, data, position) != len(data):
        raise OSError("only a part was written")


# Before the first count is made: the library's own file ends the process on a full disk.
values.MmapedDict = CountFile  # type: ignore[assignment, attr-defined]
REQUESTS: Final = Counter(
    "workbench_requests", "Answers by route, method and code", ["route", "method", "status"]
)
SECONDS: Final = Histogram(
    "workbench_request_seconds",
    "Time from a request to its answer",
    ["route"],
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)


def count_request(route: str, method: str, status: int, seconds: float) -> None:
    """Count one answer."""
    REQUESTS.labels(route, method, str(status)).inc()
    SECONDS.labels(route).observe(seconds)


class Rows(Collector):
    """Gauges that are read when they are asked for."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        yield from _jobs()
        yield _queues()
        works = alive()
        gauge = GaugeMetricFamily("workbench_programs_alive", "Living programs", labels=["work"])
        for work in (*Queues, SWEEPER):
            gauge.add_metric([str(work)], works[str(work)])
        yield gauge
        leased = Assignment.objects.filter(
            status=AssignmentStatus.OPEN, lease_expires_at__gt=database_now()
        )
        yield GaugeMetricFamily(
            "workbench_leases", "Candidates that are leased to annotators", value=leased.count()
        )
        yield from _disk()
        yield _backup()


def _jobs() -> Iterator[GaugeMetricFamily]:
    jobs = GaugeMetricFamily("workbench_jobs", "Job rows", labels=["kind", "status"])
    oldest = GaugeMetricFamily(
        "workbench_oldest_waiting_seconds", "Age of the oldest queued job", labels=["kind"]
    )
    lapsed = GaugeMetricFamily(
        "workbench_lapsed_jobs", "Running jobs that a worker lost, now or before", labels=["kind"]
    )
    now = database_now()
    for model in kinds_of_jobs():
        kind = model.kind()
        rows = model._default_manager.order_by()
        counts = dict(rows.values_list("status").annotate(Count("pk")))
        for status in (JobStatus.QUEUED, JobStatus.RUNNING, *FINAL_STATUSES):
            jobs.add_metric([kind, status.value], counts.get(status.value, 0))
        waiting = rows.filter(DUE, status=JobStatus.QUEUED)
        since = waiting.aggregate(Min("due_at"))["due_at__min"]
        oldest.add_metric([kind], (now - since).total_seconds() if since else 0)
        lost = rows.filter(Q(attempt__gt=1) | Q(lease_until__lt=now), status=JobStatus.RUNNING)
        lapsed.add_metric([kind], lost.count())
    yield jobs
    yield oldest
    yield lapsed


def _queues() -> GaugeMetricFamily:
    """Messages that wait in the broker; nothing of a queue where it is not reached."""
    # Some megabytes, which the web server of a machine without Redis need not hold.
    from redis.exceptions import ResponseError

    gauge = GaugeMetricFamily("workbench_messages", "Messages in the broker", labels=["queue"])
    try:
        with current_app.connection_for_write() as connection:
            connection.ensure_connection(max_retries=1, timeout=2)
            channel: Any = connection.default_channel
            for queue in Queues:
                gauge.add_metric([queue.value], channel._size(queue.value))
    except (OperationalError, OSError, ResponseError):
        pass
    return gauge


def _disk() -> Iterator[GaugeMetricFamily]:
    disk = shutil.disk_usage(settings.DATA_DIR)
    yield GaugeMetricFamily(
        "workbench_disk_free_bytes", "Free on the disk of DATA_DIR", value=disk.free
    )
    yield GaugeMetricFamily(
        "workbench_disk_bytes", "Size of the disk of DATA_DIR", value=disk.total
    )


def _backup() -> GaugeMetricFamily:
    made_at = Backup.objects.aggregate(Max("made_at"))["made_at__max"]
    return GaugeMetricFamily(
        "workbench_backup_age_seconds",
        "Age of the latest backup; +Inf where none was made",
        value=(database_now() - made_at).total_seconds() if made_at else math.inf,
    )


def text() -> bytes:
    """Return all figures in Prometheus' text format."""
    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=str(settings.FIGURES_DIR))  # type: ignore[no-untyped-call]
    registry.register(Rows())
    return generate_latest(registry)
