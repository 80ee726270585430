"""Annotators of each application: what their browsers or programs send for one candidate."""

import http.client
import json
import random
import re
import uuid
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from shared.processes import HOST

LONGEST_ANSWER_SECONDS = 60
CRITERIA = (
    "feature_completeness",
    "conceptual_clarity",
    "terminology_consistency",
    "logical_linkage",
)


class DoneError(Exception):
    """Raised when an annotator has nothing left to rate."""


class FailedError(Exception):
    """Raised when a request got another status than it should."""


@dataclass
class Annotator:
    """One annotator with a connection that stays open. A method of each act takes one act."""

    port: int
    headers: dict[str, str]
    number: int
    connection: http.client.HTTPConnection | None = None
    held: dict[str, Any] = field(default_factory=dict)

    acts = ("page", "draft", "submit")
    filled_by = "ours_database"

    def scores(self) -> dict[str, int]:
        """Return scores as people give them, most of them close to each other."""
        return {name: random.randint(4, 8) for name in CRITERIA}

    def call(
        self,
        method: str,
        path: str,
        expected: int,
        body: Any = None,
        headers: dict[str, str] | None = None,
        nothing_left: int = 0,
    ) -> tuple[http.client.HTTPResponse, bytes]:
        """Send one request; a dict in `body` goes as JSON, a str as a form."""
        sent = self.headers | (headers or {})
        if body is not None:
            kind = "x-www-form-urlencoded" if isinstance(body, str) else "json"
            sent["Content-Type"] = f"application/{kind}"
            body = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        if self.connection is None:
            self.connection = http.client.HTTPConnection(
                HOST, self.port, timeout=LONGEST_ANSWER_SECONDS
            )
        try:
            self.connection.request(method, path, body, sent)
            answer = self.connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.connection.close()
            self.connection = None
            raise FailedError(type(error).__name__) from error
        if answer.status == nothing_left:
            raise DoneError
        if answer.status != expected:
            raise FailedError(f"{method} {re.sub('[0-9a-f-]{36}', 'ID', path)}: {answer.status}")
        return answer, content


class OurPages(Annotator):
    """A browser on our rate page: the page, the draft that its script saves, the submit."""

    BY_SCRIPT = {"HX-Request": "true"}

    def page(self) -> None:
        address = self.held.get("location", "")
        if not address:
            answer, _ = self.call("POST", "/campaigns/flow/next/", 303, "")
            address = answer.getheader("Location") or "/"
        if not address.startswith("/rate/"):
            raise DoneError
        _, content = self.call("GET", address, 200)
        shown = dict(
            re.findall(r'name="(key|version|draft_version)" value="(.*?)"', content.decode())
        )
        fields = {"comment": "A limitation is gone.", "shown": "aligned diff"}
        self.held = {"address": address, "form": shown | fields | self.scores()}

    def draft(self) -> None:
        path, form = f"{self.held['address']}draft/", self.held["form"]
        _, content = self.call("POST", path, 200, urlencode(form), self.BY_SCRIPT)
        form["draft_version"] = json.loads(content)["version"]

    def submit(self) -> None:
        form = urlencode(self.held["form"])
        _, content = self.call("POST", self.held["address"], 200, form, self.BY_SCRIPT)
        self.held = json.loads(content)


class OurApi(Annotator):
    """A program on our REST API, which has no drafts."""

    acts = ("page", "submit")

    def page(self) -> None:
        path = "/api/v1/campaigns/flow/assignments/next/"
        _, content = self.call("POST", path, 200, nothing_left=204)
        self.held = json.loads(content)

    def submit(self) -> None:
        key = {"Idempotency-Key": str(uuid.uuid4())}
        body = {"assignment": self.held["id"], "scores": self.scores()}
        self.call("POST", "/api/v1/ratings/", 201, body, key)


class LabelStudio(Annotator):
    """The calls that Label Studio's own pages make for one task."""

    filled_by = "label_studio_database"

    def page(self) -> None:
        # It answers 404 when it finds no task, also while others hold the remaining ones.
        _, content = self.call("GET", "/api/projects/1/next", 200, nothing_left=404)
        self.held = {"task": json.loads(content)["id"]}

    def _result(self) -> list[dict[str, Any]]:
        return [
            {"from_name": name, "to_name": "candidate", "type": "rating", "value": {"rating": n}}
            for name, n in self.scores().items()
        ]

    def draft(self) -> None:
        body = {"result": self._result(), "lead_time": 30.0}
        path = f"/api/tasks/{self.held['task']}/drafts?project=1"
        _, content = self.call("POST", path, 201, body)
        self.held["draft"] = json.loads(content)["id"]

    def submit(self) -> None:
        body = {"result": self._result(), "lead_time": 60.0, "draft_id": self.held["draft"]}
        path = f"/api/tasks/{self.held['task']}/annotations/?project=1"
        self.call("POST", path, 201, body)


class Doccano(Annotator):
    """The calls that doccano's own pages make for one example.

    It has no overlap and no drafts: a label is stored at once, which stands for the draft, and
    the confirmation for the submit. One label stands for our four scores.
    """

    filled_by = "doccano_database"
    PROJECT = "/v1/projects/1"

    def page(self) -> None:
        path = f"{self.PROJECT}/examples?limit=1&offset=0&confirmed=false"
        _, content = self.call("GET", path, 200)
        found = json.loads(content)["results"]
        if not found:
            raise DoneError
        self.held = {"example": found[0]["id"]}

    def draft(self) -> None:
        label = {"label": 1 + self.scores()["feature_completeness"]}
        path = f"{self.PROJECT}/examples/{self.held['example']}/categories"
        self.call("POST", path, 201, label)

    def submit(self) -> None:
        self.call("POST", f"{self.PROJECT}/examples/{self.held['example']}/states", 201, {})
