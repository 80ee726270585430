"""The texts of a score request in the reader: one candidate beside the reference, or two."""

import pytest

from annotator.models import ReadingPreference
from scoring.models import ScoreRequest
from scoring.scores.reading import read_texts
from tests.scoring.conftest import signed_in

pytestmark = [pytest.mark.django_db]
REFERENCE = "1. A cup with a handle.\n2. The cup of claim 1, with a lid."
CANDIDATES = [
    "1. A mug with a handle.",
    "1. A cup.",
    "1. A jug with a spout.\n2. The jug of claim 1.",
]


@pytest.fixture
def request_of_three(cast) -> ScoreRequest:
    return scored(cast, *CANDIDATES)


def scored(cast, *candidates: str) -> ScoreRequest:
    return ScoreRequest.objects.create(
        asked_by=cast.rita,
        reference_text=REFERENCE,
        candidate_texts=list(candidates),
        models_by_criterion={},
        scores={},
        status="succeeded",
    )


@pytest.mark.parametrize(
    ("left", "right", "numbers"),
    [
        ("", "", (1, 2)),
        ("3", "1", (3, 1)),
        ("2", "2", (2, 1)),
        ("", "1", (1, 2)),
        ("9", "x", (1, 2)),
        ("-1", "3", (1, 3)),
    ],
)
def test_an_address_chooses_the_two_that_are_read(request_of_three, left, right, numbers) -> None:
    texts = read_texts(request_of_three, left, right)
    assert texts.numbers == numbers
    assert texts.names == [f"Candidate {number}" for number in numbers]
    assert len(texts.seen.candidates) == len(texts.states) == 2


def test_the_page_reads_them_claim_by_claim_with_aids(rita, request_of_three) -> None:
    page = rita.get(f"/score/{request_of_three.pk}/?left=3&right=2").content.decode()
    assert 'id="reading"' in page and "is-single" not in page
    assert 'aria-label="Reference, Candidate 3 and Candidate 2, claim by claim"' in page
    assert '<option value="3" selected>Candidate 3</option>' in page
    assert 'action="/score/' in page and "/reading/?left=3&amp;right=2" in page
    assert "<summary>Change the texts and score again</summary>" in page
    assert CANDIDATES[0] in page  # in the form


def test_a_single_candidate_stands_alone_beside_the_reference(rita, cast) -> None:
    row = scored(cast, "1. A mug with a handle.")
    page = rita.get(f"/score/{row.pk}/").content.decode()
    assert "is-single" in page and "Read these" not in page
    assert 'class="side of-right"' not in page and 'class="side of-left"' in page
    assert 'aria-label="Reference and Candidate 1, claim by claim"' in page
    answer = rita.post(f"/score/{row.pk}/reading/?left=1", {"aid": "diff off"})
    assert (answer.status_code, answer["Location"]) == (303, f"/score/{row.pk}/?left=1")


def test_an_aid_is_switched_with_and_without_a_script(rita, request_of_three, cast) -> None:
    address = f"/score/{request_of_three.pk}/reading/?left=3&right=2"
    answer = rita.post(address, {"aid": "diff off"})
    assert (answer.status_code, answer["Location"]) == (
        *(303, f"/score/{request_of_three.pk}/?left=3&right=2"),
    )
    assert not ReadingPreference.objects.get(user=cast.rita).shows_diff
    part = rita.post(address, {"aid": "diff on"}, headers={"HX-Request": "true"}).content.decode()
    assert part.lstrip().startswith('<div id="panes"') and "shows-diff" in part
    assert "Candidate 3" in part
    assert rita.post(address, {"aid": "odd"}).status_code == 303


def test_nobody_else_reads_them(request_of_three, cast) -> None:
    for person in (cast.ada, cast.mallory):
        assert signed_in(person).get(f"/score/{request_of_three.pk}/").status_code in (403, 404)
        answer = signed_in(person).post(
            f"/score/{request_of_three.pk}/reading/", {"aid": "diff on"}
        )
        assert answer.status_code in (403, 404)
