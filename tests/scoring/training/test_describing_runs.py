"""Tags and a note of a run: who writes them, what they may be, and what is on record."""

import pytest

from annotator.models import AuditEvent
from scoring.models import TrainingRun
from scoring.training.runs.services import (
    LONGEST_NOTE,
    LONGEST_TAG,
    MOST_TAGS,
    describe_run,
    request_training,
)
from tests.scoring.conftest import imported, labelled_alike, shown, signed_in

pytestmark = [pytest.mark.django_db]
NASTY = "</textarea><script>alert(1)</script> {{ 7*7 }}"


@pytest.fixture
def run(cast, data_directory, rows) -> TrainingRun:
    version = imported("five", labelled_alike(rows()), campaign=cast.campaign)
    return request_training(version=version, criterion="logical_linkage", options={})


def acts() -> list[str]:
    return [
        *AuditEvent.objects.filter(action="training.described").values_list("action", flat=True)
    ]


def test_a_researcher_tags_a_run_and_writes_a_note_on_record(rita, run) -> None:
    sent = {"tags": " Baseline, v2;baseline  ähnlich ", "note": "Seed 7\nfor the paper."}
    answer = rita.post(f"/runs/{run.pk}/about/", sent)
    assert (answer.status_code, answer["Location"]) == (303, f"/runs/{run.pk}/")
    run.refresh_from_db()
    assert run.tag_names == ["baseline", "v2", "ähnlich"]
    page = shown(rita, f"/runs/{run.pk}/")
    assert 'value="baseline v2 ähnlich"' in page and "Seed 7\nfor the paper.</textarea>" in page
    assert acts() == ["training.described"]
    event = AuditEvent.objects.get(action="training.described")
    assert "paper" not in str(event.details)
    rita.post(f"/runs/{run.pk}/about/", sent)
    assert len(acts()) == 1, "nothing changed"


def test_what_is_no_tag_is_refused_and_stays_in_the_form(rita, run) -> None:
    for tags, why in (
        ("a/b", "is no tag"),
        ("-x", "is no tag"),
        ("x" * (LONGEST_TAG + 1), "is no tag"),
        (" ".join(f"t{n}" for n in range(MOST_TAGS + 1)), f"At most {MOST_TAGS} tags"),
    ):
        page = shown_after(rita, run, {"tags": tags, "note": NASTY}, 422)
        assert why in page and f'value="{tags}"' in page
        assert "<script>alert" not in page and "&lt;script&gt;alert(1)" in page
    long = "n" * (LONGEST_NOTE + 1)
    assert f"At most {LONGEST_NOTE} characters" in shown_after(rita, run, {"note": long}, 422)
    run.refresh_from_db()
    assert (run.tags, run.note, acts()) == ("", "", [])


def shown_after(client, run, sent, status) -> str:
    answer = client.post(f"/runs/{run.pk}/about/", sent)
    assert answer.status_code == status
    return answer.content.decode()


def test_what_is_typed_stays_text_on_every_page(rita, run, cast) -> None:
    describe_run(run=run, tags=["one"], note=NASTY, described_by=cast.rita)
    other = request_training(
        version=run.dataset_version, criterion="conceptual_clarity", options={}
    )
    for address in ("/runs/", f"/runs/{run.pk}/", f"/runs/compare/?run={run.pk}&run={other.pk}"):
        page = shown(rita, address)
        assert "<script>alert" not in page and "&lt;script&gt;alert(1)" in page


def test_an_admin_reads_and_an_annotator_sees_nothing(run, cast) -> None:
    describe_run(run=run, tags=["one"], note="For the paper.", described_by=cast.rita)
    admin = signed_in(cast.ada)
    page = shown(admin, f"/runs/{run.pk}/")
    assert "For the paper." in page and "<textarea" not in page
    assert admin.post(f"/runs/{run.pk}/about/", {"note": "x"}).status_code == 403
    annotator = signed_in(cast.alice)
    assert annotator.post(f"/runs/{run.pk}/about/", {"note": "x"}).status_code == 403
    run.refresh_from_db()
    assert run.note == "For the paper."


def test_a_call_changes_what_it_names(rita, run, cast) -> None:
    address = f"/api/v1/training-runs/{run.pk}/"
    json = "application/json"
    answer = rita.patch(address, {"tags": ["One", "two"]}, content_type=json)
    assert (answer.status_code, answer.json()["tags"], answer.json()["note"]) == (
        *(200, ["one", "two"]),
        "",
    )
    assert rita.patch(address, {"note": "why"}, content_type=json).json()["tags"] == ["one", "two"]
    for wrong in (
        {"tags": "one"},
        {"tags": ["a b"]},
        {"note": 3},
        {"criterion": "conceptual_clarity"},
    ):
        assert rita.patch(address, wrong, content_type=json).status_code in (400, 422), wrong
    assert rita.get(address).json()["tags"] == ["one", "two"]
    admin = signed_in(cast.ada)
    assert admin.patch(address, {"note": "x"}, content_type=json).status_code == 403
