"""Traces are off unless a collector is named; their spans hold ids, routes and codes."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any, Final

import pytest
from django.db import connection
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from config.celery import app
from core import traces
from core.broker.consumer import is_plain
from tests.conftest import signed_in
from tests.served.server import ROOT

ENDPOINT: Final = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}
KEY: Final = "98ca10ff-c87b-4b8d-8be8-f91078b6c829"


@pytest.fixture
def exported(db: None) -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    traces.begin("test", exporter)
    yield exporter
    traces.end()
    connection.execute_wrappers.remove(traces._run_statement)


def names(exporter: InMemorySpanExporter) -> list[str]:
    return [span.name for span in exporter.get_finished_spans()]


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({}, False),
        (ENDPOINT, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://collector:4318/v1/traces"}, True),
        ({**ENDPOINT, "OTEL_SDK_DISABLED": "TRUE"}, False),
        ({"OTEL_SERVICE_NAME": "claims"}, False),
    ],
)
def test_a_named_collector_alone_switches_traces_on(given, wanted) -> None:
    assert traces.is_wanted(given) is wanted


@pytest.mark.parametrize("name", traces.PROTOCOLS)
def test_a_protocol_that_is_not_spoken_is_refused(name) -> None:
    with pytest.raises(ValueError, match=f"^{name} must be http/protobuf$"):
        traces.is_wanted({**ENDPOINT, name: "grpc"})


def test_a_collector_without_the_packages_is_refused_by_a_sentence(monkeypatch) -> None:
    monkeypatch.setattr(traces, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match="install requirements-traces.lock"):
        traces.is_wanted(ENDPOINT)


def test_nothing_of_the_packages_is_loaded_while_traces_are_off() -> None:
    program = (
        "import sys\n"
        "from core import traces\n"
        "traces.begin('test')\n"
        "with traces.span('request', {}), traces.continued('00-0-0-01'):\n"
        "    assert traces.headers() == {}\n"
        "sys.exit(any(name.startswith('opentelemetry.') for name in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env={}, cwd=ROOT, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_what_is_forked_sends_under_its_own_name_and_its_parent_has_no_thread(tmp_path) -> None:
    program = (
        "import os, threading\n"
        "from core import traces\n"
        "from scripts.programs import load\n"
        "load()\n"
        "assert threading.active_count() == 1, threading.enumerate()\n"
        "if child := os.fork():\n"
        "    assert os.waitpid(child, 0)[1] == 0\n"
        "else:\n"
        "    with traces.span('idle', {}) as note:\n"
        "        assert note is traces._note_nothing\n"
        "    traces.begin('worker')\n"
        "    with traces.span('job', {}):\n"
        "        pass\n"
        "    assert traces._tracer.resource.attributes['service.name'] == 'workbench-worker'\n"
        "    os._exit(0 if threading.active_count() == 2 else 3)\n"
    )
    given = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "DATA_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**given, "DJANGO_SETTINGS_MODULE": "config.settings"},
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_a_request_is_a_span_by_its_route_and_holds_nothing_that_was_typed(cast, exported) -> None:
    client = signed_in(cast.ada)
    answer = client.get("/campaigns/cups/?q=zqcanary", headers={"user-agent": "zqcanary"})
    assert answer.status_code == 200
    client.post("/campaigns/cups/settings/", {"name": "zqcanary " * 100})
    client.get("/zqcanary/")
    spans = exported.get_finished_spans()
    whole = next(span for span in spans if span.name == "GET annotator:campaign")
    assert dict(whole.attributes) == {
        "request.id": answer.headers["X-Request-ID"],
        "http.request.method": "GET",
        "http.route": "annotator:campaign",
        "http.response.status_code": 200,
    }
    below = [span for span in spans if span.parent and span.parent.span_id == whole.context.span_id]
    assert "SELECT annotator_campaign" in {span.name for span in below}
    text = "".join(span.to_json() for span in spans)
    assert "zqcanary" not in text
    assert "cups" not in text


def test_a_statement_outside_of_a_span_is_none(exported) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    assert names(exported) == []


def test_a_statement_is_named_by_what_it_does_and_on_which_table(exported) -> None:
    with traces.span("all", {}), connection.cursor() as cursor:
        cursor.execute("SELECT 'zqcanary'")
        cursor.execute('SELECT username FROM "annotator_user" WHERE username = %s', ["zqcanary"])
        cursor.execute("EXPLAIN SELECT 'zqcanary'")
    assert names(exported) == ["SELECT", "SELECT annotator_user", "other", "all"]
    assert "zqcanary" not in "".join(span.to_json() for span in exported.get_finished_spans())


def test_an_error_is_told_by_its_kind_alone(exported) -> None:
    with pytest.raises(ValueError), traces.span("failing", {}):
        raise ValueError("zqcanary")
    (span,) = exported.get_finished_spans()
    assert span.attributes["error.type"] == "ValueError"
    assert span.events == ()
    assert (span.status.status_code.name, span.status.description) == ("ERROR", None)


def test_a_message_goes_on_with_the_trace_of_who_sent_it(exported, monkeypatch) -> None:
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *_, **more: sent.append(more))
    task = app.tasks["scoring.train"]
    task.delay(KEY)
    with traces.span("asking", {}):
        task.delay(KEY)
    assert "headers" not in sent[0]
    headers = sent[1]["headers"]
    # No consumer takes it for one that is not of our making.
    assert is_plain({"task": "scoring.train", "id": "1", **headers})
    monkeypatch.setattr(type(task), "run", lambda *_: None)
    for key in (KEY, "zqcanary of somebody who writes to the broker"):
        task.push_request(**headers)
        task(key)
        task.pop_request()
    asking, done, other = exported.get_finished_spans()
    assert (done.name, dict(done.attributes)) == ("scoring.train", {"job.key": KEY})
    assert done.context.trace_id == asking.context.trace_id
    assert done.parent.span_id == asking.context.span_id
    assert other.attributes["job.key"] == ""


def test_a_header_that_names_no_trace_begins_a_new_one(exported) -> None:
    for parent in (None, 7, "zqcanary", "00-0-0-01"):
        with traces.continued(parent), traces.span("job", {}):
            pass
    assert [span.parent for span in exported.get_finished_spans()] == [None] * 4
