"""What a rating may not be, by form and by REST; each row has its name in the catalogue."""

import html
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import pytest

from annotator.models import Assignment, AssignmentStatus, CampaignStatus, Draft, Rating
from annotator.rating.drafts import save_draft
from patclaimeval.rubric import CRITERIA
from tests.bad_input.scenes import Scene, counts, undone
from tests.browser.payloads import PAYLOADS
from tests.conftest import signed_in

SURFACE: Final = "rating form and call"
FIRST, OTHERS = CRITERIA[0], CRITERIA[1:]
COMMENT: Final = "The lid is gone,\r\nsee <claim> 1."
NO_SCORE: Final = "A score is a whole number from 0 to 10."
NONE_CHOSEN: Final = "Choose a score from 0 to 10."
# What is sent in the place of 5, 5, 5, 5 and a comment; None for nothing; and the message.
FORM: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "RF01 a half point": ({FIRST: "10.5"}, NO_SCORE),
    "RF02 below the scale": ({FIRST: "-1"}, NO_SCORE),
    "RF02 minus zero": ({FIRST: "-0"}, NO_SCORE),
    "RF03 above the scale": ({FIRST: "11"}, NO_SCORE),
    "RF04 empty": ({FIRST: ""}, NONE_CHOSEN),
    "RF05 missing": ({FIRST: None}, NONE_CHOSEN),
    "RF05 nothing at all": (dict.fromkeys(CRITERIA), NONE_CHOSEN),
    "RF10 a whole number with a fraction": ({FIRST: "9.0"}, NO_SCORE),
    "RF11 a point and no more": ({FIRST: "9."}, NO_SCORE),
    "RF12 a plus": ({FIRST: "+9"}, NO_SCORE),
    "RF13 a zero before": ({FIRST: "09"}, NO_SCORE),
    "RF14 a space that does not break": ({FIRST: "9\u00a0"}, NO_SCORE),
    "RF14 a digit of another script": ({FIRST: "\u0669"}, NO_SCORE),
    "RF17 true": ({FIRST: "true"}, NO_SCORE),
    "RF18 a list": ({FIRST: "[9]"}, NO_SCORE),
    "RF19 an object": ({FIRST: '{"a":1}'}, NO_SCORE),
    "RF20 null": ({FIRST: "null"}, NO_SCORE),
    "RF26 a score twice": ({FIRST: ["3", "9"]}, "sent more than once"),
    "RF26 the same score twice": ({FIRST: ["3", "3"]}, "sent more than once"),
    "RF28 a criterion of another rubric": ({"novelty": "5"}, "no field named novelty"),
    "RF29 one criterion left out": ({OTHERS[2]: None}, NONE_CHOSEN),
    "RF31 a comment of 200 kB": ({"comment": "x" * 200_000}, "may have 20000 characters"),
    "RF33 a NUL": ({"comment": "a\x00b"}, "Null characters are not allowed."),
    "RF35 tags that are no list": ({"error_tags": '{"tag":"vagueness"}'}, "are a list"),
    "RF35 tags that are no JSON": ({"error_tags": "[NaN]"}, "tags cannot be read"),
    "RF35 a tag of no typology": ({"error_tags": '[{"tag":"zq"}]'}, "zq"),
    "RF33 a NUL in the key": ({"key": "a\x00b"}, ""),
    "RF36 a version that is none": ({"version": "x"}, ""),
    "RF36 a version below nothing": ({"version": "-1"}, ""),
    "RF36 half a version": ({"version": "1.5"}, ""),
    "RF36 a version without end": ({"version": "9" * 30}, ""),
    "RF36 a key without end": ({"key": "k" * 5000}, ""),
}
SCORES: Final = dict.fromkeys(CRITERIA, 5)
BODIES: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "RF01 a half point": ({"scores": SCORES | {FIRST: 10.5}}, FIRST),
    "RF02 below the scale": ({"scores": SCORES | {FIRST: -1}}, FIRST),
    "RF03 above the scale": ({"scores": SCORES | {FIRST: 11}}, FIRST),
    "RF04 empty": ({"scores": SCORES | {FIRST: ""}}, FIRST),
    "RF05 missing": ({"scores": dict.fromkeys(OTHERS, 5)}, FIRST),
    "RF05 nothing at all": ({"scores": {}}, "scores"),
    "RF09 a space after": ({"scores": SCORES | {FIRST: "9 "}}, FIRST),
    "RF10 a whole number with a fraction": ({"scores": SCORES | {FIRST: 9.0}}, FIRST),
    "RF12 a text": ({"scores": SCORES | {FIRST: "9"}}, FIRST),
    "RF17 true": ({"scores": SCORES | {FIRST: True}}, FIRST),
    "RF18 a list": ({"scores": SCORES | {FIRST: [9]}}, FIRST),
    "RF19 an object": ({"scores": SCORES | {FIRST: {"a": 1}}}, FIRST),
    "RF20 null": ({"scores": SCORES | {FIRST: None}}, FIRST),
    "RF20 zero with a point": ({"scores": SCORES | {FIRST: 0.0}}, FIRST),
    "RF28 a criterion of another rubric": ({"scores": SCORES | {"novelty": 5}}, "novelty"),
    "RF31 a comment of 200 kB": ({"comment": "x" * 200_000}, "comment"),
    "RF33 a NUL": ({"comment": "a\x00b"}, "NUL"),
    "RF35 tags that are no list": ({"error_tags": {"tag": "vagueness"}}, "error_tags"),
    "RF35 a tag of no typology": ({"error_tags": [{"tag": "zq"}]}, "error_tags"),
}


def form(**more: Any) -> dict[str, Any]:
    good = dict.fromkeys(CRITERIA, "5") | {"comment": COMMENT, "version": "0", "draft_version": "1"}
    return {name: value for name, value in (good | more).items() if value is not None}


@pytest.fixture
def row(scene: Scene) -> Assignment:
    row = scene.scenario.other_open("one")
    save_draft(assignment=row, typed={"comment": "a draft"}, version=0, rating_version=0)
    return row


@contextmanager
def nothing_stored() -> Iterator[None]:
    before = counts()
    with undone():
        yield
        assert counts() == before


def test_no_wrong_rating_is_stored_and_the_form_says_why(scene, row, tried):
    one, path, faults = scene.clients["one"], f"/rate/{row.pk}/", []
    for name, (change, message) in FORM.items():
        sent = form(**change)
        with nothing_stored():
            answer = one.post(path, sent)
        shown = html.unescape(answer.content.decode())
        expected = sent["comment"] if name != "RF33 a NUL" else "b"
        if answer.status_code != 422 or message not in shown or expected not in shown:
            faults.append(f"{name}: {answer.status_code}, {message in shown}, {expected in shown}")
        scores = [shown.count(f'name="{key}" value="5"') for key in CRITERIA]
        assert scores == [1] * 4, name
        shown_scores = answer.context["sent"]
        assert all(shown_scores[key] == "5" for key in CRITERIA if sent.get(key) == "5"), name
    assert not faults, "\n".join(faults)
    assert one.post(path, form()).status_code == 303
    tried(SURFACE, len(FORM))


def test_no_wrong_rating_is_stored_and_the_call_names_the_field(scene, row, tried) -> None:
    one, faults = scene.clients["one"], []

    def send(**change: Any) -> Any:
        body = {"assignment": str(row.pk), "scores": SCORES, "comment": COMMENT} | change
        return one.post("/api/v1/ratings/", json.dumps(body), content_type="application/json")

    for name, (change, field) in BODIES.items():
        with nothing_stored():
            answer = send(**change)
        if answer.status_code != 400 or field not in answer.content.decode():
            faults.append(f"{name}: {answer.status_code} {answer.content[:200]!r}")
    assert not faults, "\n".join(faults)
    assert send().status_code == 201
    tried(SURFACE, len(BODIES))


def test_rf09_blanks_of_ascii_around_a_score_are_cut_and_no_others(scene, row) -> None:
    with undone():
        answer = scene.clients["one"].post(f"/rate/{row.pk}/", form(**{FIRST: " 9\t"}))
        assert answer.status_code == 303
        assert Rating.objects.get(assignment=row).scores[FIRST] == 9


def test_rf32_a_form_of_10_mb_is_413_and_the_draft_is_as_it_was(scene, row) -> None:
    one, before = scene.clients["one"], Draft.objects.get(assignment=row).typed
    with nothing_stored():
        answer = one.post(f"/rate/{row.pk}/", form(comment="x" * 10_000_000))
    assert answer.status_code == 413 and b"longer than the server takes" in answer.content
    assert Draft.objects.get(assignment=row).typed == before


def test_rf34_hostile_text_is_stored_as_it_is_and_shown_as_text(scene, row) -> None:
    one, text = scene.clients["one"], "\n".join(PAYLOADS)
    assert one.post(f"/rate/{row.pk}/", form(comment=text, note=text)).status_code == 303
    rating = Rating.objects.get(assignment=row)
    assert (rating.comment, rating.note) == (text, text)
    page = one.get(f"/rate/{row.pk}/").content.decode()
    assert "<script>ran" not in page and "<img src=x" not in page
    assert html.unescape(page).count(text) == 2
    answered = one.get(f"/api/v1/ratings/{rating.pk}/").json()
    assert answered["comment"] == text


def test_rf37_rf50_a_resent_rating_is_one_and_rf38_its_key_takes_no_other(scene, row) -> None:
    one = scene.clients["one"]
    body = json.dumps({"assignment": str(row.pk), "scores": SCORES})

    def send(text: str) -> Any:
        more = {"content_type": "application/json", "headers": {"Idempotency-Key": "zq"}}
        return one.post("/api/v1/ratings/", text, **more)

    first, again = send(body), send(body)
    assert (first.status_code, first.json()) == (again.status_code, again.json())
    assert send(body.replace(": 5", ": 6")).status_code == 409
    assert Rating.objects.get(assignment=row).scores == SCORES
    # The same by form, whose key is in it.
    assert one.post(f"/rate/{row.pk}/", form(key="zq")).status_code == 409


def test_rf41_rf42_what_comes_too_late_is_409_and_stored_as_a_draft(scene, row) -> None:
    one = scene.clients["one"]
    campaign = row.campaign

    def withdraw() -> None:
        Assignment.objects.filter(pk=row.pk).update(status=AssignmentStatus.WITHDRAWN)

    def close() -> None:
        type(campaign).objects.filter(pk=campaign.pk).update(status=CampaignStatus.CLOSED)

    for act in (withdraw, close):
        with undone():
            act()
            version = str(Draft.objects.get(assignment=row).version)
            answer = one.post(f"/rate/{row.pk}/", form(draft_version=version))
            assert answer.status_code == 409, act
            assert COMMENT in html.unescape(answer.content.decode())
            assert Draft.objects.get(assignment=row).typed["comment"] == COMMENT
            assert not Rating.objects.filter(assignment=row).exists()


def test_rf49_a_draft_that_comes_after_the_submit_changes_nothing(scene, row) -> None:
    one = scene.clients["one"]
    version = str(Draft.objects.get(assignment=row).version)
    assert one.post(f"/rate/{row.pk}/", form(draft_version=version)).status_code == 303
    late = form(comment="late", draft_version=version)
    answer = one.post(f"/rate/{row.pk}/draft/", late, headers={"HX-Request": "true"})
    assert answer.status_code == 409
    assert not Draft.objects.filter(assignment=row).exists()
    assert Rating.objects.get(assignment=row).comment == COMMENT.replace("\r\n", "\n")


def test_hx02_a_forged_request_of_another_site_is_403(scene, row) -> None:
    client = signed_in(scene.scenario.people["one"], enforce_csrf_checks=True)
    forged = {"HX-Request": "true", "Origin": "https://evil.example"}
    for action in ("", "overall/", "draft/", "tags/", "ping/", "skip/"):
        with nothing_stored():
            answer = client.post(f"/rate/{row.pk}/{action}", form(), headers=forged)
        assert answer.status_code == 403
