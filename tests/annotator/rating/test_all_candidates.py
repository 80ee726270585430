"""All candidates of a reference side by side: who sees them, when, and what of them."""

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from annotator.assignments.services import assign_candidates
from annotator.models import (
    Assignment,
    AssignmentStatus,
    Campaign,
    Candidate,
    ReadingPreference,
    Reference,
)
from annotator.rating import all_candidates
from annotator.rating.all_candidates import CANDIDATES_A_PAGE, may_compare
from annotator.rating.services import recuse, skip_assignment
from patclaimeval.claims.reading_limits import CLAIMS
from tests.annotator.adjudication.rulings import decide
from tests.conftest import signed_in

pytestmark = pytest.mark.django_db

REFERENCE = (
    "1. A cup comprising a body made of clay;\na handle; and\na lid.\n"
    "2. The cup of claim 1, wherein the lid has a knob.\n"
    "3. The cup of claim 1, wherein the handle is curved."
)
CANDIDATES = (
    "1. A cup comprising a body made of clay;\na handle; and\na lid.\n"
    "2. The cup of claim 1, wherein the lid has a brass knob.",
    "1. A cup comprising a body made of tin;\na handle.\n"
    "2. The cup of claim 1, wherein the handle is curved.\n"
    "3. A saucer with a groove that holds two spoons.",
    "1. A cup comprising a body made of tin;\na handle; and\na lid.\n"
    "2. The cup of claim 1, wherein the lid has a knob.\n"
    "3. The cup of claim 1, wherein the handle is curved.",
)


@pytest.fixture
def rows(rows: list[Assignment]) -> list[Assignment]:
    """Alice's three candidates, with texts worth comparing."""
    Reference.objects.update(claims=REFERENCE)
    for row, text in zip(rows, CANDIDATES, strict=True):
        Candidate.objects.filter(pk=row.candidate_id).update(claims=text)
    return rows


@pytest.fixture
def rated(cast, rows) -> list[Assignment]:
    for number, row in enumerate(rows, start=1):
        cast.submit(row, (number, number + 1, number + 2, number + 3), comment=f"own {number}")
    return rows


def path(row: Assignment, claim: str = "") -> str:
    return f"/rate/{row.pk}/all/" + (f"?claim={claim}" if claim else "")


def text_of(answer: Any) -> str:
    html = re.sub(r"(?s)<(?:script|style|dialog).*?</(?:script|style|dialog)>", "", body(answer))
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", html)))


def body(answer: Any) -> str:
    content: str = answer.content.decode()
    return content


def test_not_before_the_last_of_ones_own_ratings_is_in(client, cast, rows) -> None:
    for place, row in enumerate(rows):
        answer = client.get(path(rows[0]))
        assert answer.status_code == 403
        page = body(answer)
        assert "a groove" not in page and "brass" not in page
        still = re.findall(r'<li><a href="/rate/([^/]+)/">', page)
        assert still == [str(one.pk) for one in rows[place:]]
        assert client.post(f"{path(rows[0])}reading/", {"aid": "diff off"}).status_code == 403
        assert "/all/" not in body(client.get(f"/rate/{rows[0].pk}/"))
        assert "/all/" not in body(client.get("/rated/"))
        cast.submit(row)
    assert not ReadingPreference.objects.exists()
    assert client.get(path(rows[0])).status_code == 200
    for page in (f"/rate/{rows[0].pk}/", "/rated/"):
        assert f"/rate/{rows[0].pk}/all/" in body(client.get(page))


def test_the_line_on_the_last_rating_shows_the_way(client, cast, rows, typed) -> None:
    cast.submit(rows[0])
    for row, is_last in ((rows[1], False), (rows[2], True)):
        page = body(client.post(f"/rate/{row.pk}/", typed(version=0, key=""), follow=True))
        assert f"{row.label}: rating stored." in page
        assert (f'<a href="/rate/{row.pk}/all/">' in page) is is_last


def test_a_candidate_given_later_closes_the_page_until_it_is_rated(client, cast, rated) -> None:
    reference = rated[0].candidate.reference
    new = Candidate.objects.create(
        reference=reference,
        campaign=cast.campaign,
        places=2,
        candidate_id="late",
        claims="1. A late mug.",
        claims_sha256="late",
    )
    (row,) = assign_candidates(campaign=cast.campaign, annotator=cast.alice, candidates=[new])
    assert client.get(path(rated[0])).status_code == 403
    cast.submit(row)
    assert "A late mug" in text_of(client.get(path(rated[0], "added")))


@pytest.mark.parametrize("status", ["open", "lapsed"])
def test_what_could_still_be_rated_is_outstanding_until_the_campaign_is_closed(
    client, cast, rated, status
) -> None:
    Assignment.objects.filter(pk=rated[2].pk).update(status=status)
    assert client.get(path(rated[0])).status_code == 403
    Campaign.objects.update(status="closed")
    page = text_of(client.get(path(rated[0])))
    assert rated[1].label in page and rated[2].label not in page


def test_what_was_skipped_or_taken_back_is_not_ones_own(client, cast, rows) -> None:
    cast.submit(rows[0])
    cast.submit(rows[1])
    skip_assignment(assignment=rows[2], reason_code="unreadable")
    page = text_of(client.get(path(rows[0])))
    assert rows[1].label in page and rows[2].label not in page
    Assignment.objects.filter(pk=rows[2].pk).update(status="withdrawn")
    assert client.get(path(rows[0])).status_code == 200


def test_after_a_recusal_nothing_of_the_reference_is_compared(client, cast, rows) -> None:
    cast.submit(rows[0])
    recuse(assignment=rows[1], reason="My client.")
    answer = client.get(path(rows[0]))
    assert answer.status_code == 403 and "You recused yourself" in body(answer)
    Campaign.objects.update(status="closed")
    assert client.get(path(rows[0])).status_code == 403


@pytest.mark.parametrize("status", AssignmentStatus.values)
def test_only_what_was_rated_opens_the_page(status) -> None:
    assert may_compare([status], is_open=True) is (status == "submitted")
    assert not may_compare([], is_open=False)


def test_the_page_is_of_ones_own_assignments_alone(client, cast, rated) -> None:
    theirs = cast.assign(cast.bob, rated[0].candidate.reference)
    assert client.get(path(theirs[0])).status_code == 404
    for person in (cast.mallory, cast.carol, cast.rita, cast.ada):
        other = signed_in(person)
        assert other.get(path(rated[0])).status_code in {403, 404}
        assert other.post(f"{path(rated[0])}reading/", {"aid": "diff off"}).status_code in {
            403,
            404,
        }
    bob = signed_in(cast.bob)
    assert bob.get(path(theirs[0])).status_code == 403
    for row in theirs:
        cast.submit(row)
    assert bob.get(path(theirs[0])).status_code == 200


def test_nothing_of_a_system_or_of_another_person_is_on_it(client, cast, carol, rated) -> None:
    for row in cast.assign(cast.bob, rated[0].candidate.reference):
        cast.submit(row, (10, 10, 10, 10), comment="bobs words", note="bobs note")
    before = {claim: body(client.get(path(rated[0], claim))) for claim in ("1", "added")}
    conflict = cast.campaign.conflicts.filter(kind="overall_gap").first()
    decide(conflict, carol)
    for claim, page in before.items():
        now = body(client.get(path(rated[0], claim)))
        for secret in (
            *(cast.system_canary, cast.candidate_canary, "bobs", "bob", "10.00"),
            *(str(row.candidate_id) for row in rated),
        ):
            assert secret not in page and secret not in now
        tokens = re.compile(r'(?<="X-CSRFToken": ")\w+|(?<=csrfmiddlewaretoken" value=")\w+')
        # What others gave, and what was ruled, moves nothing on it.
        assert tokens.sub("", now) == tokens.sub("", page)


def test_a_hidden_candidate_is_shown_as_any_other(client, rated) -> None:
    Candidate.objects.filter(pk=rated[1].candidate_id).update(purpose="sentinel")
    page = body(client.get(path(rated[0])))
    heads = re.findall(r'(?s)<div class="across-head">(.*?)</dl>', page)
    shapes = {re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|\d+", "N", head) for head in heads}
    assert len(heads) == 3
    # The one the page was opened from is marked, and nothing else differs but the state.
    shapes = {re.sub(r' aria-current="true"|changed|matched', "", shape) for shape in shapes}
    assert len(shapes) == 1
    assert "sentinel" not in page


def test_one_claim_is_shown_of_each_with_ones_own_scores_beside(client, rated) -> None:
    page = body(client.get(path(rated[1])))
    sections = re.findall(r'(?s)<section class="across-candidate".*?</section>', page)
    labels = [re.findall(r">(Candidate \d+)</a>", one) for one in sections]
    assert labels == [[row.label] for row in rated]
    for number, section in enumerate(sections, start=1):
        scores = re.findall(r"<dt>(\w+)</dt><dd>([\d.]+)</dd>", section)
        assert [int(value) for _, value in scores[:4]] == [number + step for step in range(4)]
        assert scores[4][0] == "Overall"
        assert section.count('<article class="claim') == 1
    assert 'id="reference-0"' in page and "wherein the lid has a brass knob" not in page


def test_each_claim_is_a_link_and_the_last_shows_what_the_reference_does_not_have(
    client, rated
) -> None:
    page = body(client.get(path(rated[0])))
    cells = re.findall(
        r'<a class="cell state-(\w+)" href="([^"]+)"( aria-current="page")?[^>]*title="([^"]*)"',
        page,
    )
    assert [(state, link, bool(here)) for state, link, here, _ in cells] == [
        ("changed", "?claim=1", True),
        ("missing", "?claim=2", False),
        ("missing", "?claim=3", False),
        ("added", "?claim=added", False),
    ]
    one, two, three = (str(row.position) for row in rated)
    assert cells[1][3] == f"missing: {two}; changed: {one}; matched: {three}"
    shown = text_of(client.get(path(rated[0], "2")))
    assert "a brass knob" in shown and "no such claim" in shown
    assert "made of" not in shown
    added = text_of(client.get(path(rated[0], "added")))
    assert "holds two spoons" in added and added.count("no claim of its own") == 2
    assert "made of" not in added


def test_before_and_after_lead_from_claim_to_claim(client, rated) -> None:
    seen, link = [], "?claim=1"
    while link:
        page = body(client.get(path(rated[0]) + link))
        seen.append(link)
        found = re.search(r'<a href="([^"]+)" rel="next"', page)
        link = found[1] if found else ""
    assert seen == ["?claim=1", "?claim=2", "?claim=3", "?claim=added"]
    assert '<a href="?claim=3" rel="prev"' in page
    assert 'rel="prev"' not in body(client.get(path(rated[0])))


@pytest.mark.parametrize("asked", ["", "99", "x", "-1", "added ", "%00", "1" * 5000])
def test_what_names_no_claim_shows_the_first(client, rated, asked) -> None:
    answer = client.get(path(rated[0], asked))
    assert answer.status_code == 200
    assert 'href="?claim=1" aria-current="page"' in body(answer)


def test_numbers_that_stand_twice_are_reached_and_words_before_the_first_are_not_the_first(
    client, rated
) -> None:
    Reference.objects.update(
        claims="What is claimed is:\n1. A cup with a lid.\n1. A cup with a knob."
    )
    page = body(client.get(path(rated[0])))
    links = re.findall(r'<a class="cell[^>]*href="\?claim=([^"]+)"( aria-current)?', page)
    assert [key for key, _ in links][:2] == ["text", "1"] and links[1][1]
    again = next(key for key, _ in links if key.startswith("1-"))
    assert "A cup with a knob" in text_of(client.get(path(rated[0], again)))


def test_the_reference_says_which_candidates_lack_what(client, rated) -> None:
    page = body(client.get(path(rated[0])))
    (reference,) = re.findall(r'(?s)<article[^>]*id="reference-0".*?</article>', page)
    assert f'data-note="not in {rated[1].position}"' in reference
    # Two have tin where it has clay, and one has the clay.
    assert not re.search(r"<mark[^>]*only-here[^>]*>[^<]*clay", reference)


def test_an_aid_is_switched_for_the_claim_that_is_shown(client, cast, rated) -> None:
    address = f"{path(rated[0])}reading/?claim=2"
    assert f'formaction="/rate/{rated[0].pk}/all/reading/?claim=2"' in body(
        client.get(path(rated[0], "2"))
    )
    answer = client.post(address, {"aid": "diff off"})
    assert (answer.status_code, answer["Location"]) == (303, path(rated[0], "2"))
    assert ReadingPreference.objects.get(user=cast.alice).shows_diff is False
    script = client.post(address, {"aid": "diff on"}, headers={"HX-Request": "true"})
    panes = body(script)
    assert panes.lstrip().startswith('<div id="panes"') and "<form" not in panes
    assert "shows-diff" in panes and "brass" in panes and "made of" not in panes
    assert client.post(address, {"aid": "x on"}).status_code == 422


def test_many_candidates_come_in_pages_that_keep_the_claim(
    client, cast, rated, monkeypatch
) -> None:
    assert CANDIDATES_A_PAGE > 9
    monkeypatch.setattr(all_candidates, "CANDIDATES_A_PAGE", 2)
    page = body(client.get(path(rated[0], "2")))
    assert page.count("across-head") == 2 and "?claim=2&amp;page=2" in page
    second = body(client.get(path(rated[0], "2") + "&page=2"))
    assert second.count("across-head") == 1 and rated[2].label in second
    assert 'href="?claim=3&amp;page=2"' in second


def test_beside_a_text_too_large_to_cut_all_are_shown_whole(client, rated) -> None:
    huge = "\n1. A" * (CLAIMS.most + 1)
    Candidate.objects.filter(pk=rated[0].candidate_id).update(claims=huge)
    page = body(client.get(path(rated[0])))
    assert CLAIMS.message(CLAIMS.most + 1) in unescape(page)
    assert 'class="minimap"' not in page and "holds two spoons" in page


def test_it_is_read_in_a_few_queries_whatever_the_number_of_candidates(
    client: Client, cast, rated, django_assert_max_num_queries
) -> None:
    client.get(path(rated[0]))
    with django_assert_max_num_queries(9):
        client.get(path(rated[0]))
