"""Works as several annotators at once, each in a process with one open connection."""

import http.client
import json
import multiprocessing
import queue
import random
import time
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from annotation_flow.processes import HOST

LONGEST_ANSWER_SECONDS = 60
MOST_FAILURES = 25  # of one annotator; then the rest would be noise
CRITERIA = (
    "feature_completeness",
    "conceptual_clarity",
    "terminology_consistency",
    "logical_linkage",
)


class Interface(Protocol):
    """The public API of one application, as one annotator uses it."""

    def take(self, wire: "Wire") -> tuple[str, Any] | None:
        """Return the next item's own name and what submit needs; None when nothing is left."""

    def submit(self, wire: "Wire", item: Any, scores: Mapping[str, int]) -> bool:
        """Send an annotation; return whether it was acknowledged."""


@dataclass
class Wire:
    """One connection that stays open, with the headers of one person."""

    port: int
    headers: dict[str, str]
    statuses: Counter[str] = field(default_factory=Counter)
    connection: http.client.HTTPConnection | None = None
    # What the server reported of its own time with the last answer; "" without a report.
    timing: str = ""

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        fine: tuple[int, ...] = (),
    ) -> tuple[int, Any]:
        """Send one request; return its status and its JSON, or 0 when no answer came.

        `fine` names statuses from 400 on that are no failure.
        """
        if self.connection is None:
            self.connection = http.client.HTTPConnection(
                HOST, self.port, timeout=LONGEST_ANSWER_SECONDS
            )
        sent = self.headers | dict(headers or {})
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            sent["Content-Type"] = "application/json"
        try:
            self.connection.request(method, path, data, sent)
            answer = self.connection.getresponse()
            content = answer.read()
            self.timing = answer.getheader("Server-Timing") or ""
        except (OSError, http.client.HTTPException) as error:
            self.close()
            self.statuses[type(error).__name__] += 1
            return 0, None
        if answer.status >= 400 and answer.status not in fine:
            self.statuses[str(answer.status)] += 1
        is_json = "json" in (answer.getheader("Content-Type") or "")
        return answer.status, json.loads(content) if is_json and content else None

    def warm_up(self, path: str, times: int = 8) -> None:
        """Read a page some times, so that loading the program is no cost of an annotation."""
        for _ in range(times):
            self.call("GET", path)
        self.close()
        self.statuses.clear()

    def close(self) -> None:
        """Let the connection go; the next call opens another."""
        if self.connection is not None:
            self.connection.close()
            self.connection = None


@dataclass
class Work:
    """What one annotator did: seconds of each call, items given, failures."""

    annotator: int
    next_seconds: list[float] = field(default_factory=list)
    submit_seconds: list[float] = field(default_factory=list)
    given: list[str] = field(default_factory=list)
    done: set[str] = field(default_factory=set)
    given_again: int = 0
    acknowledged: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    is_finished: bool = False
    error: str = ""


def scores_for(annotator: int, item: str) -> dict[str, int]:
    """Return scores as people give them: near each other, now and then far apart."""
    common = random.Random(zlib.crc32(item.encode()))
    own = random.Random(zlib.crc32(f"{annotator} {item}".encode()))
    apart = 4 if own.random() < 0.05 else 0
    return {
        criterion: min(10, max(0, common.randint(4, 10) + own.choice((-1, 0, 0, 1)) - apart))
        for criterion in CRITERIA
    }


def work_together(
    interfaces: list[Interface], wires: list[Wire], *, annotations: int, seconds: float
) -> list[Work]:
    """Have each annotator do an equal share, at most so many in all and so long."""
    context = multiprocessing.get_context("fork")
    results: multiprocessing.Queue[Work] = context.Queue()
    shares = [
        annotations // len(interfaces) + (n < annotations % len(interfaces))
        for n in range(len(interfaces))
    ]
    workers = [
        context.Process(target=_work, args=(n, interface, wire, shares[n], seconds, results))
        for n, (interface, wire) in enumerate(zip(interfaces, wires, strict=True))
    ]
    for worker in workers:
        worker.start()
    try:
        # The last call of each may take as long as an answer may.
        end = time.monotonic() + seconds + 2 * LONGEST_ANSWER_SECONDS
        found = []
        for _ in workers:
            try:
                found.append(results.get(timeout=max(1.0, end - time.monotonic())))
            except queue.Empty:
                raise RuntimeError("an annotator's process gave no result") from None
        return sorted(found, key=lambda work: work.annotator)
    finally:
        for worker in workers:
            worker.terminate()
            worker.join()


def _work(
    annotator: int,
    interface: Interface,
    wire: Wire,
    share: int,
    seconds: float,
    results: "multiprocessing.Queue[Work]",
) -> None:
    work = Work(annotator, statuses=wire.statuses)
    end = time.monotonic() + seconds
    try:
        while len(work.given) < share and time.monotonic() < end:
            if sum(work.statuses.values()) >= MOST_FAILURES:
                break
            if not _one(interface, wire, work):
                work.is_finished = True
                break
    except Exception as error:  # noqa: BLE001 - whatever stops one annotator is a finding
        work.error = f"{type(error).__name__}: {error}"
    results.put(work)


def _one(interface: Interface, wire: Wire, work: Work) -> bool:
    """Take one item and annotate it; False when nothing is left."""
    failures = sum(work.statuses.values())
    start = time.perf_counter()
    taken = interface.take(wire)
    work.next_seconds.append(time.perf_counter() - start)
    if taken is None:
        return sum(work.statuses.values()) > failures  # a failure is not the end of the work
    name, item = taken
    work.given.append(name)
    work.given_again += name in work.done
    start = time.perf_counter()
    is_stored = interface.submit(wire, item, scores_for(work.annotator, name))
    work.submit_seconds.append(time.perf_counter() - start)
    if is_stored:
        work.acknowledged += 1
        work.done.add(name)
    return True
