"""A program runs a campaign from its creation to a report, over REST alone."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotator.accounts.sessions import create_token
from annotator.models import User
from clients.patclaimeval_client import ApiError, Client
from patclaimeval.rubric import CRITERIA
from tests.conftest import make_user
from tests.flows.programs import Programs

pytestmark = [pytest.mark.broker, pytest.mark.embedded, pytest.mark.slow]
REFERENCES = 6


def claims_file() -> bytes:
    """Return six references, each with a candidate near it and one that lost a feature."""
    lines = []
    for number, thing in enumerate(("cup", "lamp", "pump", "valve", "hinge", "brush")):
        whole = f"1. A {thing} comprising a body, a handle on the body and a lid with a seal."
        other = f"1. A {thing} comprising a body."
        candidates = [
            {"candidate_id": "near", "system": "s1", "claims": whole},
            {"candidate_id": "far", "system": "s2", "claims": other},
        ]
        record: dict[str, Any] = {"reference_id": f"EP{number}", "reference_claims": whole + " "}
        lines.append(json.dumps(record | {"candidates": candidates, "may_train": True}))
    return "\n".join(lines).encode()


@pytest.fixture
def programs(transactional_db: None, tmp_path: Path) -> Iterator[Programs]:
    started = Programs(tmp_path)
    yield started
    started.end()


def test_a_program_runs_a_campaign_from_creation_to_report(programs: Programs) -> None:
    port = programs.start_web("web")
    programs.start_worker("worker", "web,gpu")
    programs.start_sweeper()
    site = f"http://127.0.0.1:{port}"

    def client(name: str, **more: Any) -> Client:
        user: User = make_user(name, **more)
        return Client(site, create_token(user=user, scope="write", days=1).token)

    admin, people = client("boss", is_superuser=True), {n: client(n) for n in ("amy", "ben")}
    researcher = client("rae")
    slug = admin.create_campaign("cups", "Cups")["slug"]
    assert admin.change_rules(slug, overlap=2, revision_hours=0)["revision_hours"] == 0
    for one in people.values():
        assert one.join(admin.invite(slug, "annotator")["token"])["roles"] == ["annotator"]
    researcher.join(admin.invite(slug, "researcher")["token"])
    assert {row["username"] for row in admin.members(slug)} == {"boss", "amy", "ben", "rae"}

    stored = admin.import_claims(slug, claims_file())
    assert stored["counts"]["references"] == REFERENCES
    assert admin.plan(slug, list(people), dry_run=True)["assignments"] == 4 * REFERENCES
    assert admin.plan(slug, list(people), seed=3)["is_carried_out"]

    for one in people.values():
        rated = 0
        while task := one.next(slug):
            is_near = "lid" in task["candidate"]["claims"]
            one.rate(task["id"], dict.fromkeys(CRITERIA, 9 if is_near else 4))
            rated += 1
        assert rated == 2 * REFERENCES
    assert admin.progress(slug)["ratings"] == 4 * REFERENCES
    with pytest.raises(ApiError) as refused:
        people["amy"].progress(slug)
    assert refused.value.status == 403

    assert admin.close_campaign(slug, "All rated.")["status"] == "closed"
    version = admin.freeze(slug, test_share=0.4, validation_share=0)
    assert version["items"] == REFERENCES
    name = version["full_name"]
    report = researcher.report(name, "overall_quality", ["rouge-l", "patclaimeval-0"], split="all")
    assert set(report["scorers"]) >= {"rouge-l", "patclaimeval-0"}
    assert report["scorers"]["rouge-l"]["n"] == REFERENCES
