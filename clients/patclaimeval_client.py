"""A client of the REST API in one file: a whole campaign from Python, with the standard library.

    api = Client("https://claims.example.org", token)
    campaign = api.create_campaign("pumps", "Pumps")
    api.import_claims(campaign["slug"], Path("claims.jsonl"))
    api.plan(campaign["slug"], ["alice", "bob"])

Each method is one call and returns its JSON; `/api/docs/` describes the fields. A refusal raises
ApiError with the server's sentences. Calls that are too many are sent again when the server says.
"""

import json
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

Json = dict[str, Any]
TOO_MANY: Final = 429
LONGEST_PAUSE: Final = 60
FINAL: Final = frozenset({"succeeded", "failed", "cancelled"})


class ApiError(Exception):
    """A call was refused: `status`, and what the server said, by field where it names fields."""

    def __init__(self, status: int, said: Any) -> None:
        self.status, self.said = status, said
        text = said.get("detail", said) if isinstance(said, dict) else said
        super().__init__(f"{status}: {text}")


class JobFailed(Exception):
    """A job did not succeed; `job` is its last state."""

    def __init__(self, job: Json) -> None:
        self.job = job
        super().__init__(f"{job['status']}: {job.get('message', '')}")


class Client:
    """Calls the API of one site with one token, which the account page makes."""

    def __init__(self, site: str, token: str, *, timeout: float = 60) -> None:
        if not site.startswith(("https://", "http://")):
            raise ValueError("The site begins with https:// (http:// on one's own machine only).")
        self._root = site.rstrip("/") + "/api/v1/"
        self._token, self._timeout = token, timeout

    # Campaigns

    def campaigns(self) -> Iterator[Json]:
        """Yield the campaigns in which the caller takes part."""
        return self._pages("campaigns/")

    def create_campaign(self, slug: str, name: str) -> Json:
        """Create a campaign; the answer's slug has an ending that makes it unique."""
        return self._call("POST", "campaigns/", {"slug": slug, "name": name})

    def rules(self, campaign: str) -> Json:
        """Return the rules of a campaign."""
        return self._call("GET", f"campaigns/{campaign}/rules/")

    def change_rules(self, campaign: str, **rules: Any) -> Json:
        """Change the rules that are named."""
        return self._call("PATCH", f"campaigns/{campaign}/rules/", rules)

    def close_campaign(self, campaign: str, reason: str) -> Json:
        """Close a campaign; every rating is final then."""
        return self._call("POST", f"campaigns/{campaign}/close/", {"reason": reason})

    def reopen_campaign(self, campaign: str, reason: str) -> Json:
        """Open a closed campaign again."""
        return self._call("POST", f"campaigns/{campaign}/reopen/", {"reason": reason})

    def progress(self, campaign: str) -> Json:
        """Return the counts of a campaign."""
        return self._call("GET", f"campaigns/{campaign}/progress/")

    def agreement(self, campaign: str, *, anew: bool = False) -> Json:
        """Return how far annotators agree; with `anew`, have it calculated from today's ratings."""
        return self._call("POST" if anew else "GET", f"campaigns/{campaign}/agreement/")

    # People

    def members(self, campaign: str) -> list[Json]:
        """Return the members of a campaign with their roles."""
        found: list[Json] = self._call("GET", f"campaigns/{campaign}/members/")
        return found

    def add_role(self, campaign: str, username: str, role: str) -> list[Json]:
        """Give a member another role."""
        sent = {"username": username, "role": role}
        found: list[Json] = self._call("POST", f"campaigns/{campaign}/members/", sent)
        return found

    def invite(self, campaign: str, role: str) -> Json:
        """Make an invitation; its link and token are shown this once."""
        return self._call("POST", f"campaigns/{campaign}/invitations/", {"role": role})

    def join(self, invitation_token: str) -> Json:
        """Accept an invitation with the caller's account."""
        return self._call("POST", "invitations/join/", {"token": invitation_token})

    # Claim sets and plans

    def import_claims(
        self, campaign: str, file: Path | bytes, *, name: str = "claims.jsonl", **fields: str
    ) -> Json:
        """Import a file and wait until it is stored; `fields` are those of the call's form."""
        content = file.read_bytes() if isinstance(file, Path) else file
        name = file.name if isinstance(file, Path) else name
        url = f"campaigns/{campaign}/claim-sets/import/"
        row = self._send("POST", url, *_form(fields, name, content))
        return self.wait(f"campaigns/{campaign}/claim-sets/imports/{row['id']}/", row)

    def plan(self, campaign: str, annotators: Sequence[str], **more: Any) -> Json:
        """Assign every free place to annotators; `dry_run=True` only counts."""
        sent = {"annotators": list(annotators), **more}
        return self._call("POST", f"campaigns/{campaign}/plan/", sent)

    # Rating and adjudication

    def next(self, campaign: str) -> Json | None:
        """Take the next candidate to rate; None when nothing is left."""
        found: Json | None = self._call("POST", f"campaigns/{campaign}/assignments/next/")
        return found

    def rate(self, assignment: str, scores: Mapping[str, int], **more: Any) -> Json:
        """Submit a rating; the same call again is stored once."""
        sent = {"assignment": assignment, "scores": dict(scores), **more}
        key = str(uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(sent, sort_keys=True)))
        return self._call("POST", "ratings/", sent, {"Idempotency-Key": key})

    def revise(self, rating: Json, **changes: Any) -> Json:
        """Revise a rating that was read; refused where it was changed meanwhile."""
        headers = {"If-Match": f'"{rating["version"]}"'}
        return self._call("PATCH", f"ratings/{rating['id']}/", changes, headers)

    def conflicts(self) -> Iterator[Json]:
        """Yield the open conflicts that the caller may rule on."""
        return self._pages("conflicts/")

    def take_turn(self, conflict: str) -> Json:
        """Take a conflict; its ratings are read in `conflicts` then."""
        return self._call("POST", f"conflicts/{conflict}/take/")

    def adjudicate(self, conflict: str, decision: str, **more: Any) -> Json:
        """Sign a ruling."""
        sent = {"conflict": conflict, "decision": decision, **more}
        return self._call("POST", "adjudications/", sent)

    # Datasets, models, reports, scores

    def freeze(self, campaign: str, **settings: Any) -> Json:
        """Freeze the settled ratings of a campaign into a dataset version."""
        return self._call("POST", "datasets/", {"campaign": campaign, **settings})

    def export(self, dataset: str, version: int, *, layout: str = "patent-ce-jsonl") -> bytes:
        """Return a dataset version as a file; it carries claim texts."""
        query = urllib.parse.urlencode({"format": layout})
        return self._read("GET", f"datasets/{dataset}/versions/{version}/export/?{query}")

    def train(self, dataset: str, criterion: str, **settings: Any) -> Json:
        """Train a model for one criterion and wait for it."""
        run = self._call(
            "POST", "training-runs/", {"dataset": dataset, "criterion": criterion, **settings}
        )
        return self.wait(f"training-runs/{run['id']}/", run)

    def promote(self, model: str, act: str, reason: str = "", *, is_aware: bool = False) -> Json:
        """Ask for a promotion, agree, decline or withdraw."""
        sent = {"act": act, "reason": reason, "is_aware": is_aware}
        return self._call("POST", f"models/{model}/promote/", sent)

    def report(self, dataset: str, criterion: str, scorers: Sequence[str], **settings: Any) -> Json:
        """Ask for an agreement report and wait for its figures."""
        sent = {"dataset": dataset, "criterion": criterion, "scorers": list(scorers), **settings}
        row = self._call("POST", "reports/", sent)
        return self.wait(f"reports/{row['id']}/", row)

    def score(self, reference: str, candidates: Sequence[str], **more: Any) -> Json:
        """Score candidates against a reference and wait for the scores."""
        sent = {"reference": reference, "candidates": list(candidates), **more}
        row = self._call("POST", "score/", sent)
        return self.wait(f"score/{row['id']}/", row)

    # Calls

    def wait(self, url: str, job: Json, *, pause: float = 0.5) -> Json:
        """Return a job when it has succeeded; raises JobFailed otherwise."""
        while job["status"] not in FINAL:
            time.sleep(pause)
            job = self._call("GET", url)
        if job["status"] != "succeeded":
            raise JobFailed(job)
        # Figures stand in the job's own document.
        return self._call("GET", url)

    def _pages(self, path: str) -> Iterator[Json]:
        number, size = 1, 200
        while True:
            query = urllib.parse.urlencode({"page": number, "page_size": size})
            rows = self._call("GET", f"{path}?{query}")
            yield from rows
            if len(rows) < size:
                return
            number += 1

    def _call(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> Any:
        data = json.dumps(body).encode() if body is not None else b""
        return self._send(method, path, data, "application/json", headers)

    def _send(
        self,
        method: str,
        path: str,
        data: bytes,
        content_type: str,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        answer = self._read(method, path, data, {"Content-Type": content_type, **(headers or {})})
        return json.loads(answer) if answer else None

    def _read(
        self, method: str, path: str, data: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> bytes:
        request = urllib.request.Request(  # noqa: S310 - the scheme is checked above
            self._root + path, data or None, method=method
        )
        request.add_header("Authorization", f"Token {self._token}")
        for name, value in (headers or {}).items():
            request.add_header(name, value)
        while True:
            try:
                with urllib.request.urlopen(request, timeout=self._timeout) as answer:  # noqa: S310
                    return bytes(answer.read())
            except urllib.error.HTTPError as error:
                pause = error.headers.get("Retry-After", "")
                if error.code != TOO_MANY or not pause.isdecimal() or int(pause) > LONGEST_PAUSE:
                    raise ApiError(error.code, _said(error.read())) from error
                time.sleep(int(pause))


def _said(answer: bytes) -> Any:
    try:
        return json.loads(answer)
    except ValueError:
        return answer.decode(errors="replace")[:500]


def _form(fields: Mapping[str, str], name: str, content: bytes) -> tuple[bytes, str]:
    """Return a form with one file, and its content type."""
    mark = uuid.uuid4().hex
    parts = [
        f'--{mark}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'.encode()
        for key, value in fields.items()
    ]
    head = f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
    parts += [head.encode(), b"Content-Type: application/octet-stream\r\n\r\n", content]
    parts += [f"\r\n--{mark}--\r\n".encode()]
    return b"".join(parts), f"multipart/form-data; boundary={mark}"
