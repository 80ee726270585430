"""A collector of traces: takes what programs send by OTLP over HTTP, and keeps it as it came."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass(frozen=True)
class Sent:
    """One span as it was sent."""

    service: str
    trace: str
    key: str
    parent: str
    name: str
    facts: dict[str, str | int]


@dataclass
class Collector:
    port: int
    bodies: list[bytes] = field(default_factory=list)

    @property
    def settings(self) -> dict[str, str]:
        """What has a program send its spans here, and soon."""
        return {
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{self.port}",
            "OTEL_BSP_SCHEDULE_DELAY": "200",
        }

    def spans(self) -> list[Sent]:
        return [
            Sent(
                service=_facts(of.resource.attributes)["service.name"],
                trace=span.trace_id.hex(),
                key=span.span_id.hex(),
                parent=span.parent_span_id.hex(),
                name=span.name,
                facts=_facts(span.attributes),
            )
            for body in self.bodies
            for of in ExportTraceServiceRequest.FromString(body).resource_spans
            for scope in of.scope_spans
            for span in scope.spans
        ]


def _facts(attributes: Any) -> dict[str, Any]:
    return {one.key: one.value.string_value or one.value.int_value for one in attributes}


@contextmanager
def collecting() -> Iterator[Collector]:
    found = Collector(port=0)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            found.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
