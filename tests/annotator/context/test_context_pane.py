"""The pane of context: what it shows, to whom, and what is looked for in it."""

import re
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotator.comparisons.services import assign_comparisons
from annotator.context import page as context_page
from annotator.context.files import FOLDER
from annotator.context.services import store_context
from annotator.models import Assignment, Conflict, Drawing, Membership, Reference
from patclaimeval.documents.context import Context, Paragraph
from patclaimeval.documents.drawings import sheets_of
from tests.annotator.adjudication.discrepant import disagree
from tests.conftest import signed_in
from tests.patclaimeval.documents.pictures import pages, picture

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

PARAGRAPHS = (
    Paragraph("description", "FIELD", is_heading=True),
    Paragraph("description", "Cups with handles are known.", "0001"),
    Paragraph("description", "<b>A body</b> holds tea & more.", "0002"),
    Paragraph("abstract", "A cup with a handle."),
)


def give_context(reference: Reference, paragraphs: Any = PARAGRAPHS, drawings: int = 2) -> None:
    sheets = tuple(sheets_of(pages(drawings), "fig.tif")) if drawings else ()
    assert store_context([(reference.pk, Context(tuple(paragraphs), sheets))]) == 1
    reference.refresh_from_db()


@pytest.fixture(autouse=True)
def data_dir(settings: Any, tmp_path: Any) -> None:
    settings.DATA_DIR = tmp_path


@pytest.fixture
def reference(cast: Any) -> Reference:
    reference = cast.reference()
    give_context(reference)
    return reference


@pytest.fixture
def row(cast: Any, reference: Reference) -> Assignment:
    return cast.assign(cast.alice, reference)[0]


@pytest.fixture
def alice(cast: Any) -> Client:
    return signed_in(cast.alice)


def address(row: Assignment) -> str:
    return f"/rate/{row.pk}/context/"


def words(answer: Any) -> str:
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode())))


def marked(answer: Any) -> list[str]:
    return re.findall("<mark>(.*?)</mark>", answer.content.decode())


def paragraphs(answer: Any) -> list[int]:
    return [int(n) for n in re.findall('id="paragraph-([0-9]+)"', answer.content.decode())]


def test_the_rate_page_leads_to_context_where_there_is_some(
    alice: Client, row: Assignment, cast: Any
) -> None:
    bare = cast.assign(cast.alice, cast.reference("r2"))[0]
    assert address(row) in alice.get(f"/rate/{row.pk}/").content.decode()
    assert "/context/" not in alice.get(f"/rate/{bare.pk}/").content.decode()
    assert alice.get(address(bare)).status_code == 404


def test_no_page_loads_context_that_it_does_not_show(
    alice: Client, row: Assignment, cast: Any
) -> None:
    bare = cast.assign(cast.alice, cast.reference("r2"))[0]
    counts = []
    for one in (bare, row, bare, row):
        with CaptureQueriesContext(connection) as asked:
            assert alice.get(f"/rate/{one.pk}/").status_code == 200
        assert not [q for q in asked if "referencecontext" in q["sql"] or "drawing" in q["sql"]]
        counts.append(len(asked))
    assert counts[2] == counts[3]


def test_the_abstract_is_read_before_the_description(alice: Client, row: Assignment) -> None:
    found = words(alice.get(address(row)))
    order = ["Abstract A cup with", "Description FIELD", "0001", "<b>A body</b> holds tea &"]
    places = [found.index(one) for one in order]
    assert places == sorted(places)
    assert "Text 4" in found and "Drawings 2" in found and "Back to the claims" in found


def test_a_script_is_given_the_pane_alone(alice: Client, row: Assignment) -> None:
    page = alice.get(address(row))
    part = alice.post(address(row), headers={"HX-Request": "true"})
    assert "<html" in page.content.decode() and "<html" not in part.content.decode()
    assert "HX-Request" in part["Vary"]
    assert paragraphs(page) == paragraphs(part) == [1, 2, 3, 4]


def test_what_is_searched_for_is_marked_and_counted(alice: Client, row: Assignment) -> None:
    answer = alice.post(address(row), {"q": "cup", "find": "1"})
    assert (marked(answer), paragraphs(answer)) == (["cup", "Cup"], [1, 3])
    assert "2 paragraphs have it, 2 times in all." in words(answer)
    answer = alice.post(address(row), {"q": "body</b>"})
    assert marked(answer) == ["body&lt;/b&gt;"]
    none = words(alice.post(address(row), {"q": "saucer"}))
    assert "0 paragraphs have it" in none and "No paragraph has it." in none
    assert "saucer" not in alice.get(address(row)).content.decode()


def test_terms_of_the_claims_lead_to_what_supports_them(alice: Client, row: Assignment) -> None:
    found = alice.get(address(row)).content.decode()
    for option in ("cup (2)", "body (1)", "handle (2)", "mug (0)"):
        assert option in found, option
    assert found.index("body (1)") < found.index("Candidate, beyond that") < found.index("mug (0)")
    answer = alice.post(address(row), {"term": "handle", "find": "1"})
    assert (marked(answer), paragraphs(answer)) == (["handle", "handles"], [1, 3])
    both = alice.post(address(row), {"term": "handle", "q": "a handle"})
    assert (marked(both), paragraphs(both)) == (["a handle"], [1])


def test_a_found_paragraph_is_shown_among_its_neighbours(alice: Client, row: Assignment) -> None:
    answer = alice.post(address(row), {"q": "tea", "view": "text", "at": "4"})
    assert paragraphs(answer) == [1, 2, 3, 4]
    focused = re.findall('id="paragraph-([0-9]+)" tabindex="-1" autof', answer.content.decode())
    assert focused == ["4"]
    assert alice.post(address(row), {"at": "99999"}).status_code == 200


def test_long_context_is_shown_in_parts(
    alice: Client, row: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(context_page, "A_PAGE", 3)
    first = alice.get(address(row))
    assert paragraphs(first) == [1, 2, 3] and "Part 1 of 2" in words(first)
    second = alice.post(address(row), {"page": "2"})
    assert paragraphs(second) == [4] and "Further" not in words(second)
    assert paragraphs(alice.post(address(row), {"page": "77"})) == [4]
    assert paragraphs(alice.post(address(row), {"at": "4"})) == [4]


def test_drawings_are_shown_one_by_one_and_given_as_pictures(
    alice: Client, row: Assignment
) -> None:
    answer = alice.post(address(row), {"view": "drawings"})
    assert "Drawing 1 of 2: fig, page 1" in words(answer)
    last = alice.post(address(row), {"view": "drawings", "sheet": "9"})
    assert "Drawing 2 of 2" in words(last) and f'src="{address(row)}2/"' in last.content.decode()
    searched = alice.post(address(row), {"view": "drawings", "q": "tea", "find": "1"})
    assert paragraphs(searched) == [4]
    sheet = alice.get(f"{address(row)}1/")
    assert sheet["Content-Type"] == "image/png" and sheet.content.startswith(b"\x89PNG\r\n")
    assert sheet["X-Content-Type-Options"] == "nosniff" and "no-store" in sheet["Cache-Control"]
    assert "img-src 'self'" in answer["Content-Security-Policy"]
    for number in (0, 3, 10**12):
        assert alice.get(f"{address(row)}{number}/").status_code == 404


def test_a_drawing_whose_file_is_damaged_is_not_given(
    alice: Client, row: Assignment, settings: Any
) -> None:
    drawing = Drawing.objects.get(number=1)
    path = settings.DATA_DIR / FOLDER / str(drawing.pk)
    assert path.stat().st_mode & 0o077 == 0
    path.write_bytes(picture())
    assert alice.get(f"{address(row)}1/").status_code == 404


def test_context_of_one_kind_alone(alice: Client, cast: Any) -> None:
    for name, paragraphs_of, drawings in (("r3", PARAGRAPHS, 0), ("r4", (), 1)):
        reference = cast.reference(name)
        give_context(reference, paragraphs_of, drawings)
        answer = alice.get(address(cast.assign(cast.alice, reference)[0]))
        assert bool(paragraphs(answer)) == bool(paragraphs_of)
        assert ("Drawing 1 of 1" in words(answer)) == bool(drawings)
        assert 'name="view" value="drawings" aria' not in answer.content.decode()


@pytest.mark.parametrize(
    "sent",
    [
        {"q": "x" * 201},
        {"term": "x" * 201},
        {"page": "0"},
        {"page": "1e3"},
        {"at": "-1"},
        {"sheet": "\u0663"},
        {"view": "claims"},
        {"q": "a\0b"},
    ],
)
def test_what_cannot_be_asked_is_said(alice: Client, row: Assignment, sent: dict[str, str]) -> None:
    answer = alice.post(address(row), sent)
    assert answer.status_code == 422 and 'class="error"' in answer.content.decode()
    typed = {"q": "tea", "term": "handle"} | sent
    refused = alice.post(address(row), typed).content.decode()
    assert f'name="q" value="{typed["q"]}"' in refused
    assert f'<option value="{typed["term"]}" selected>' in refused
    assert paragraphs(answer) == [1, 2, 3, 4]


def test_only_who_has_the_assignment_is_shown_context(
    row: Assignment, cast: Any, alice: Client
) -> None:
    for user, status in (
        (cast.bob, 404),
        (cast.mallory, 404),
        (cast.carol, 403),
        (cast.rita, 403),
        (cast.ada, 403),
    ):
        for path in (address(row), f"{address(row)}1/"):
            assert signed_in(user).get(path).status_code == status, (user, path)
    assert Client().get(address(row)).status_code == 302
    Membership.objects.filter(user=cast.alice).update(role="reader")
    assert alice.get(address(row)).status_code == 403


def test_who_compares_is_shown_context(cast: Any, reference: Reference, alice: Client) -> None:
    left, right, _ = reference.candidates.all()
    (row,) = assign_comparisons(campaign=cast.campaign, annotator=cast.alice, pairs=[(left, right)])
    path = f"/compare/{row.pk}/context/"
    assert path in alice.get(f"/compare/{row.pk}/").content.decode()
    assert "Cups with handles" in words(alice.get(path))
    assert alice.get(f"{path}2/")["Content-Type"] == "image/png"
    assert signed_in(cast.bob).get(path).status_code == 404


def test_who_rules_is_shown_context(cast: Any) -> None:
    candidate = disagree(cast)
    give_context(candidate.reference)
    conflict = Conflict.objects.filter(candidate=candidate)[0]
    path = f"/adjudication/{conflict.pk}/context/"
    carol = signed_in(cast.carol)
    assert path in carol.get(f"/adjudication/{conflict.pk}/").content.decode()
    assert "Candidate A, beyond that" in carol.get(path).content.decode()
    assert carol.get(f"{path}1/")["Content-Type"] == "image/png"
    assert signed_in(cast.alice).get(path).status_code == 403


def test_programs_are_told_whether_there_is_context_and_read_it(
    cast: Any, reference: Reference, call: Any
) -> None:
    taken = call(cast.alice, "post", "campaigns/cups/assignments/next/").json()
    assert taken["reference"]["has_context"] is True
    path = f"assignments/{taken['id']}/context/"
    found = call(cast.alice, "get", path).json()
    assert [one["text"] for one in found["paragraphs"]][1:3] == ["FIELD", PARAGRAPHS[1].text]
    assert found["paragraphs"][0]["part"] == "abstract"
    assert [one["name"] for one in found["drawings"]] == ["fig, page 1", "fig, page 2"]
    sheet = call(cast.alice, "get", found["drawings"][1]["url"].removeprefix("/api/v1/"))
    assert sheet["Content-Type"] == "image/png"
    assert call(cast.bob, "get", path).status_code == 404
    Reference.objects.update(has_context=False)
    assert call(cast.alice, "get", path).status_code == 404


def test_programs_of_adjudicators_read_that_of_a_conflict(cast: Any, call: Any) -> None:
    candidate = disagree(cast)
    give_context(candidate.reference)
    path = f"conflicts/{Conflict.objects.filter(candidate=candidate)[0].pk}/context/"
    assert len(call(cast.carol, "get", path).json()["paragraphs"]) == 4
    assert call(cast.carol, "get", f"{path}1/")["Content-Type"] == "image/png"
    assert call(cast.carol, "get", f"{path}3/").status_code == 404
    assert call(cast.alice, "get", path).status_code == 403
