"""Traces: which part of a request and of its job took how long, sent where OTEL_* settings say.

Off without an address to send to, and then nothing of OpenTelemetry is loaded. Spans are made at
the places that write log lines, and hold what those may hold: ids, routes and codes. The
instrumentations that exist for our libraries would add addresses as they were typed, and what
errors say.
"""

import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import Tracer

ADDRESSES: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
PROTOCOLS: Final = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
# The one header that is passed on: of the W3C's two the other may hold a text.
PARENT: Final = "traceparent"
Facts = Mapping[str, str | int]
# Gives the span of a block its name, where that is known at its end only, and more facts.
Note = Callable[[str, Facts], None]
# What this process is called where its spans go; "" where none are sent.
_program = ""
_tracer: "Tracer | None" = None
_lock: Final = threading.Lock()


def is_wanted(environment: Mapping[str, str]) -> bool:
    """Return whether spans are to be sent somewhere, or raise ValueError where they cannot be."""
    is_off = environment.get("OTEL_SDK_DISABLED", "").lower() == "true"
    if is_off or not any(environment.get(name) for name in ADDRESSES):
        return False
    for name in PROTOCOLS:
        if environment.get(name, "http/protobuf") != "http/protobuf":
            raise ValueError(f"{name} must be http/protobuf")
    if find_spec("opentelemetry") is None or find_spec("opentelemetry.sdk") is None:
        raise ValueError(
            "OTEL_EXPORTER_OTLP_ENDPOINT is set, and the packages of traces are not installed; "
            "install requirements-traces.lock, or remove the setting"
        )
    return True


def begin(program: str, exporter: "SpanExporter | None" = None) -> None:
    """Have spans sent from this process on; `exporter` is where, by the settings unless given.

    The thread that sends them begins with the first one: this process may be forked before.
    """
    global _program, _tracer  # noqa: PLW0603 - one of the process, as the connection to a broker is
    if exporter is None and not is_wanted(os.environ):
        return
    _program, _tracer = program, None
    if exporter is not None:
        _tracer = _made(program, exporter)
    _follow_statements()


def _begun() -> "Tracer | None":
    """Return what makes the spans of this process; None where none are sent."""
    global _tracer  # noqa: PLW0603 - as above
    if _program and _tracer is None:
        with _lock:
            _tracer = _tracer or _made(_program, None)
    return _tracer


def _made(program: str, exporter: "SpanExporter | None") -> "Tracer":
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor

    # OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES go before.
    named = {"service.name": os.environ.get("OTEL_SERVICE_NAME") or f"workbench-{program}"}
    provider = TracerProvider(resource=Resource.create(named))
    if exporter is not None:
        provider.add_span_processor(SimpleSpanProcessor(exporter))
    else:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider.get_tracer("workbench")


def end() -> None:
    """Send no more from this process."""
    global _program, _tracer
    _program, _tracer = "", None


@contextmanager
def span(name: str, facts: Facts) -> Iterator[Note]:
    """Have the block be one span; yields a function that names it anew, with more facts.

    Facts are ids, routes, codes and counts. An error that passes is told by its kind alone.
    """
    tracer = _begun()
    if tracer is None:
        yield _note_nothing
        return
    from opentelemetry.trace import Status, StatusCode

    with tracer.start_as_current_span(
        name, attributes=facts, record_exception=False, set_status_on_exception=False
    ) as begun:

        def note(named: str, more: Facts) -> None:
            begun.update_name(named)
            begun.set_attributes(more)

        try:
            yield note
        except BaseException as error:
            begun.set_status(Status(StatusCode.ERROR))
            begun.set_attribute("error.type", type(error).__name__)
            raise


def _note_nothing(named: str, more: Facts) -> None:
    return


def headers() -> dict[str, str]:
    """Return the headers by which a message goes on with the trace of today; none without one."""
    if _tracer is None:
        return {}
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    found: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(found)
    return {PARENT: found[PARENT]} if PARENT in found else {}


@contextmanager
def continued(parent: object) -> Iterator[None]:
    """Have spans of the block go on with the trace that a message's header names, if any."""
    if _begun() is None or not isinstance(parent, str):
        yield
        return
    from opentelemetry import context
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    token = context.attach(TraceContextTextMapPropagator().extract({PARENT: parent}))
    try:
        yield
    finally:
        context.detach(token)


# Names of ours; a statement's values, and what a text of it may quote, stay here.
_OPERATIONS: Final = frozenset(("SELECT", "INSERT", "UPDATE", "DELETE", "SAVEPOINT", "RELEASE"))
_TABLE: Final = re.compile(r'(?:FROM|INTO|UPDATE) "([a-z_0-9]+)"')


def _follow_statements() -> None:
    from django.db import connections
    from django.db.backends.signals import connection_created

    def follow(connection: Any, **_: object) -> None:
        if _run_statement not in connection.execute_wrappers:
            connection.execute_wrappers.append(_run_statement)

    connection_created.connect(follow, weak=False, dispatch_uid="core.traces")
    for connection in connections.all(initialized_only=True):
        follow(connection)


def _run_statement(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
    """Run a statement as a span of the request or job that it is for, and of nothing else."""
    if _tracer is None:
        return execute(sql, params, many, context)
    from opentelemetry.trace import get_current_span

    if not get_current_span().is_recording():
        return execute(sql, params, many, context)
    text = str(sql)
    operation = text.strip().partition(" ")[0].upper()
    table = _TABLE.search(text)
    facts = {"db.operation.name": operation if operation in _OPERATIONS else "other"}
    if table:
        facts["db.collection.name"] = table[1]
    with span(" ".join(facts.values()), facts):
        return execute(sql, params, many, context)
