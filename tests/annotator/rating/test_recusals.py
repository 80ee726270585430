"""What is left to an annotator after a recusal: a way back for a while, and no text."""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotator.comparisons.services import assign_comparisons, submit_preference
from annotator.models import (
    Assignment,
    CalibrationAnswer,
    CalibrationItem,
    Campaign,
    Candidate,
    Departure,
    Draft,
    Flag,
    Rating,
    Reference,
    Round,
    SecondLook,
)
from annotator.rating.drafts import save_draft
from annotator.rating.queries import RECUSED_SENTENCE, TAKEN_BACK_WITHIN
from annotator.rating.services import recuse, revise_rating, take_recusal_back
from core.errors import OutOfDate
from patclaimeval.documents.context import Paragraph
from patclaimeval.rubric import ALL_CRITERIA, CRITERIA
from tests.annotator.context.test_context_pane import give_context
from tests.conftest import signed_in, spread
from tests.guards.test_permission_matrix import ROUTES

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

CANARY = "zebracanary"
SCORES = dict(zip(CRITERIA, (5, 6, 7, 8), strict=True))


@pytest.fixture(autouse=True)
def data_dir(settings: Any, tmp_path: Any) -> None:
    settings.DATA_DIR = tmp_path


@pytest.fixture
def reference(cast: Any) -> Reference:
    """Return a reference whose every text says the canary."""
    row = cast.reference("r1", 4)
    Reference.objects.filter(pk=row.pk).update(
        title=f"Title {CANARY}", claims=f"1. A {CANARY} comprising a body."
    )
    Candidate.objects.update(claims=f"1. A mug like a {CANARY}.")
    give_context(row, [Paragraph("description", f"Of the {CANARY}.")])
    return row


@pytest.fixture
def keys(cast: Any, reference: Reference) -> dict[str, UUID]:
    """Give alice all that somebody can have of a reference; return the key of each."""
    Campaign.objects.update(has_mark_files=True)
    rows = cast.assign(cast.alice, reference)
    done, item = (
        rows[0],
        CalibrationItem.objects.create(
            campaign=cast.campaign,
            candidate=rows[3].candidate,
            position=1,
            scores=SCORES,
            reasons={},
            made_by=cast.ada,
            made_at=timezone.now(),
        ),
    )
    rating = cast.submit(done, comment="my words")
    CalibrationAnswer.objects.create(
        item=item, annotator=cast.alice, scores=SCORES, given_at=timezone.now()
    )
    Flag.objects.create(
        assignment=done,
        reason_code="other",
        made_at=timezone.now(),
        answer=f"It says {CANARY}.",
        answered_at=timezone.now(),
    )
    asked = Round.objects.create(
        candidate=done.candidate, number=2, kind="again", question="Why?", made_at=timezone.now()
    )
    SecondLook.objects.create(round=asked, assignment=done)
    pairs = [(rows[0].candidate, rows[1].candidate), (rows[0].candidate, rows[2].candidate)]
    compared = assign_comparisons(campaign=cast.campaign, annotator=cast.alice, pairs=pairs)
    submit_preference(
        comparison_id=compared[0].pk,
        annotator=cast.alice,
        judgements=dict.fromkeys(ALL_CRITERIA, 1),
    )
    return {
        "open": rows[1].pk,
        "done": done.pk,
        "rating": rating.pk,
        "item": item.pk,
        "compared": compared[0].pk,
        "to compare": compared[1].pk,
    }


# Of each part of the addresses the keys that it is about.
OF_PART = {
    "rate": ("open", "done"),
    "compare": ("compared", "to compare"),
    "calibrate": ("item",),
    "api/v1/assignments": ("open", "done"),
    "api/v1/ratings": ("rating",),
}
SENT = {
    "aid": "diff off",
    "tag": "show",
    "error_tags": '[{"tag": "vagueness", "side": "candidate", "start": 0, "end": 20}]',
}
# These change whose the candidate is, and show nothing before.
LEAVING = {"skip", "recuse", "take-back"}


def addresses(keys: dict[str, UUID]) -> Iterator[str]:
    """Yield every address of the site that is about something of an annotator's own."""
    for name, arguments in ROUTES.items():
        if arguments not in (("pk",), ("pk", "number")):
            continue
        pattern = reverse(name, kwargs=dict.fromkeys(arguments, 1) | {"pk": UUID(int=0)})
        part, _, action = pattern.strip("/").partition(f"/{UUID(int=0)}")
        if part in OF_PART and action.strip("/") not in LEAVING:
            for key in OF_PART[part]:
                yield pattern.replace(str(UUID(int=0)), str(keys[key]))
    yield from ("/", "/?show=drafts", "/?show=skipped", "/?show=returned", "/rated/")


def revealing(client: Client, keys: dict[str, UUID]) -> set[str]:
    """Return the addresses that answer with the canary, a drawing or a document."""
    found = set()
    for address in addresses(keys):
        for answer in (
            client.get(address),
            client.post(address, SENT),
            client.post(address, SENT, headers={"HX-Request": "true"}),
        ):
            kind = answer.get("Content-Type", "")
            is_file = kind.startswith("image/") or "officedocument" in kind
            if CANARY.encode() in answer.content or is_file:
                found.add(address)
    return found


def test_after_a_recusal_no_address_shows_a_text_of_the_reference(cast, keys) -> None:
    client = signed_in(cast.alice)
    shown = revealing(client, keys)
    for part in ("rate/{open}/", "rate/{done}/", "rate/{done}/docx/", "rate/{open}/context/1/"):
        assert "/" + part.format(**keys) in shown
    for part in ("compare/{compared}/", "calibrate/{item}/", "api/v1/ratings/{rating}/docx/"):
        assert "/" + part.format(**keys) in shown
    assert {"/", "/rated/", f"/api/v1/assignments/{keys['open']}/context/"} < shown
    assert len(shown) >= 20, shown
    recuse(assignment=Assignment.objects.get(pk=keys["open"]), reason="my client")
    assert revealing(client, keys) == set()
    Campaign.objects.update(status="closed")
    assert revealing(client, keys) == set()


def test_own_scores_stay_in_view_after_a_recusal_and_cannot_be_changed(cast, keys, call) -> None:
    client = signed_in(cast.alice)
    recuse(assignment=Assignment.objects.get(pk=keys["open"]))
    page = client.get(f"/rate/{keys['done']}/").content.decode()
    assert "You recused yourself from this reference" in page and "<dd>5</dd>" in page
    assert "<form" not in page.split("</h1>")[1].split("Take it back")[1].split("</form>", 1)[1]
    answer = client.get(f"/compare/{keys['compared']}/").content.decode()
    assert "left better" in answer and "Submit preference" not in answer
    rating = Rating.objects.get(pk=keys["rating"])
    with pytest.raises(OutOfDate, match="recused yourself"):
        revise_rating(rating_id=rating.pk, annotator=cast.alice, version=1, scores=SCORES)
    path = f"ratings/{rating.pk}/"
    assert call(cast.alice, "get", path).json()["comment"] == "my words"
    sent = call(cast.alice, "patch", path, {"scores": SCORES}, If_Match='"1"')
    assert sent.status_code == 409 and RECUSED_SENTENCE in sent.content.decode()
    take_recusal_back(assignment=Assignment.objects.get(pk=keys["open"]))
    assert call(cast.alice, "patch", path, {"scores": SCORES}, If_Match='"1"').status_code == 200


def test_what_was_typed_when_a_recusal_came_between_is_kept_and_shown(client, rows, typed) -> None:
    recuse(assignment=rows[1])
    answer = client.post(f"/rate/{rows[0].pk}/", typed(comment="my thoughts", draft_version=0))
    page = answer.content.decode()
    assert answer.status_code == 409 and "my thoughts</textarea>" in page
    assert "You left this candidate" in page and "A mug" not in page
    assert Draft.objects.get(assignment=rows[0]).typed["comment"] == "my thoughts"


def test_the_queue_offers_to_undo_a_recusal_for_half_an_hour(client, rows) -> None:
    assert b"You recused yourself" not in client.get("/").content
    recuse(assignment=rows[0])
    page = client.get("/").content.decode()
    assert "You recused yourself from r1 in Cups: 3 candidates went back." in page
    form = re.search(r'<form method="post" action="(/rate/[^"]+/take-back/)"', page)
    assert form is not None and "Title of r1" not in page
    told = client.post(form[1], follow=True).content.decode()
    assert "The recusal is undone: 3 candidates are yours again." in told
    assert {Assignment.objects.get(pk=row.pk).status for row in rows} == {"open"}
    recuse(assignment=rows[0])
    assert "3 candidates went back" in client.get("/").content.decode()
    Departure.objects.update(made_at=timezone.now() - TAKEN_BACK_WITHIN - timedelta(seconds=1))
    assert b"You recused yourself" not in client.get("/").content


def test_the_queue_says_nothing_of_recusals_in_a_closed_campaign(client, rows) -> None:
    recuse(assignment=rows[0])
    Campaign.objects.update(status="closed")
    assert b"You recused yourself" not in client.get("/").content


def test_a_recusal_that_is_made_again_is_undone_once(cast) -> None:
    cast.reference("r1", 1)
    row = cast.take(cast.alice)
    for _ in range(2):
        recuse(assignment=row)
        assert take_recusal_back(assignment=row) == (1, 0)
    assert Assignment.objects.get(pk=row.pk).status == "open"
    assert Candidate.objects.get().held == 1


def test_who_gets_a_part_back_reads_it_and_who_gets_nothing_stays_recused(cast) -> None:
    spread(cast.campaign, 1)
    client = signed_in(cast.alice)
    rows = cast.assign(cast.alice, cast.reference("r1", 2))
    given = [departure.rerouted_to for departure in recuse(assignment=rows[0])]
    save_draft(assignment=given[0], typed={"comment": "begun"}, version=0, rating_version=0)
    assert take_recusal_back(assignment=rows[0]) == (1, 1)
    assert b"Submit rating" in client.get(f"/rate/{rows[1].pk}/").content
    assert b"You recused yourself" not in client.get("/").content
    (other,) = cast.assign(cast.alice, cast.reference("r2", 1))
    (departure,) = recuse(assignment=other)
    begun = departure.rerouted_to
    save_draft(assignment=begun, typed={"comment": "begun"}, version=0, rating_version=0)
    answer = client.post(f"/rate/{other.pk}/take-back/")
    assert answer.status_code == 409 and b"You stay recused" in answer.content
    assert Assignment.objects.get(pk=other.pk).status == "recused"
