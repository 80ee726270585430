"""Figures for Prometheus: requests of all web processes, and what the database says of jobs.

Routes, methods and codes are their only labels: no name, no id, no text.
"""

from collections.abc import Iterator
from typing import Any, Final

from celery import current_app
from django.conf import settings
from django.db.models import Count, Min
from kombu.exceptions import OperationalError
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest, values
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from redis.exceptions import ResponseError

from annotator.clock import database_now
from annotator.health.count_files import CountFile
from annotator.jobs.queues import Queues
from annotator.jobs.registry import kinds_of_jobs
from annotator.jobs.rows import FINAL_STATUSES, JobStatus
from annotator.models import SWEEPER, Assignment, AssignmentStatus
from annotator.queries.presences import alive

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


def _jobs() -> Iterator[GaugeMetricFamily]:
    jobs = GaugeMetricFamily("workbench_jobs", "Job rows", labels=["kind", "status"])
    oldest = GaugeMetricFamily(
        "workbench_oldest_waiting_seconds", "Age of the oldest queued job", labels=["kind"]
    )
    now = database_now()
    for model in kinds_of_jobs():
        kind = model.kind()
        rows = model._default_manager.order_by()
        counts = dict(rows.values_list("status").annotate(Count("pk")))
        for status in (JobStatus.QUEUED, JobStatus.RUNNING, *FINAL_STATUSES):
            jobs.add_metric([kind, status.value], counts.get(status.value, 0))
        since = rows.filter(status=JobStatus.QUEUED).aggregate(Min("created_at"))["created_at__min"]
        oldest.add_metric([kind], (now - since).total_seconds() if since else 0)
    yield jobs
    yield oldest


def _queues() -> GaugeMetricFamily:
    """Messages that wait in the broker; nothing of a queue where it is not reached."""
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


def text() -> bytes:
    """Return all figures in Prometheus' text format."""
    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=str(settings.FIGURES_DIR))  # type: ignore[no-untyped-call]
    registry.register(Rows())
    return generate_latest(registry)
