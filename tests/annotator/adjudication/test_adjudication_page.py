import re
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils.html import strip_tags

from annotator.adjudication.rulings.services import void_adjudication
from annotator.models import (
    Adjudication,
    Conflict,
    ReadingPreference,
    Reference,
    Ruling,
    Turn,
    User,
)
from patclaimeval.claims.reading_limits import CLAIMS
from patclaimeval.rubric import CRITERIA
from tests.annotator.adjudication.discrepant import NOTES, WORDS, disagree, of
from tests.annotator.adjudication.rulings import RULING, decide
from tests.conftest import grant, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def carol(carol: User, client: Client) -> User:
    client.force_login(carol)
    return carol


def address(conflict: Conflict) -> str:
    return f"/adjudication/{conflict.pk}/"


def text_of(page: Any) -> str:
    content: str = page.content.decode()
    return content + strip_tags(content)


def ruling(**more: str) -> dict[str, str]:
    return {"decision": "mean"} | RULING | more


def take(client: Client, conflict: Conflict) -> Any:
    return client.post(f"{address(conflict)}take/", follow=True)


def test_the_list_says_what_differs_and_how_far(client, carol, ratings, conflict) -> None:
    text = text_of(client.get("/adjudication/"))
    assert "Title of r1" in text and "A47G 19/22" in text
    assert "Feature completeness: 7 points apart" in text
    assert "Overall quality: 7.00 points apart" in text
    assert "Opposite order, each way by 6.00 points or more" in text
    assert "Candidate A and Candidate B" in text
    # Five conflicts of one candidate are one case: three in all.
    assert text.count('href="/adjudication/') == 4
    assert "3 open" in text


def test_the_page_shows_ratings_only_once_it_is_taken(client, carol, conflict):
    text = text_of(client.get(address(conflict)))
    assert "A mug" in text and "A cup comprising" in text
    assert "Take this conflict" in text
    assert not any(words in text for words in (*WORDS.values(), *NOTES.values(), "Annotator 1"))
    assert 'name="decision"' not in text
    text = text_of(take(client, conflict))
    assert all(words in text for words in (*WORDS.values(), *NOTES.values()))
    assert "Annotator 1" in text and "Annotator 2" in text
    assert "4.5" in text  # the mean of 1 and 8
    assert "Vagueness" in text and "A mug" in text
    assert 'data-place="candidate 3"' in text
    assert Turn.objects.get().adjudicator == carol


def test_an_aid_is_switched_and_remembered_and_what_was_typed_stays(client, carol, conflict):
    take(client, conflict)
    sent = ruling(aid="diff off", reason="Half a reason", back_question="And the lid?")
    answer = client.post(f"{address(conflict)}reading/", sent)
    html = answer.content.decode()
    assert answer.status_code == 200
    assert "Half a reason</textarea>" in html and "And the lid?" in html
    assert "shows-diff" not in html and "shows-marks" in html
    assert "field-wrong" not in html and "aria-invalid" not in html
    assert sent["password"] not in html
    assert ReadingPreference.objects.get(user=carol).shows_diff is False
    assert not Adjudication.objects.exists()
    script = client.post(
        f"{address(conflict)}reading/", {"aid": "diff on"}, headers={"HX-Request": "true"}
    )
    panes = script.content.decode()
    assert panes.lstrip().startswith('<div id="panes"') and "<form" not in panes
    assert "shows-diff" in panes
    assert client.post(f"{address(conflict)}reading/", {"aid": "x"}).status_code == 422


def test_before_it_is_taken_the_aids_have_a_form_of_their_own(client, carol, conflict):
    html = client.get(address(conflict)).content.decode()
    assert '<form method="post" id="aids-form">' in html
    assert 'form="aids-form"' in html and 'form="ruling"' not in html
    shown = client.post(f"{address(conflict)}reading/", {"aid": "marks off"}).content.decode()
    assert "shows-marks" not in shown and "Take this conflict" in shown


def test_an_aid_of_anothers_conflict_is_not_found(client, conflict, cast):
    client.force_login(grant(User.objects.create(username="eve"), cast.elsewhere, "adjudicator"))
    answer = client.post(f"{address(conflict)}reading/", {"aid": "diff off"})
    assert answer.status_code == 404
    assert not ReadingPreference.objects.exists()


def test_each_claim_has_a_cell_for_one_candidate_and_for_two(client, carol, conflict, flip):
    for case, sides in ((conflict, ("candidate",)), (flip, ("left", "right"))):
        html = client.get(address(case)).content.decode()
        places = re.findall(r'<a class="cell [^>]*data-places="([^"]*)"', html)
        assert len(places) == 2
        assert places[0] == " ".join(f"{side}-0" for side in (*sides, "reference"))
        assert 'id="tools"' in html


def test_marks_of_a_language_that_is_not_read_are_said_to_be_missing(client, carol, conflict):
    Reference.objects.update(language="ja-JP")
    assert "Not checked in this language" not in text_of(client.get(address(conflict)))
    Reference.objects.update(language="French")
    text = client.get(address(conflict)).content.decode()
    assert text.count("Not checked in this language (French): antecedents") == 2


def test_annotators_stand_in_one_order_per_candidate_not_by_name_or_time(client, carol, cast):
    def first_row(page: Any) -> tuple[str, ...]:
        row = r"<th scope=.row.>Feature completeness(.*?)(?:<select|</tr>)"
        (cells,) = re.findall(row, page.content.decode(), re.S)
        return tuple(re.findall(r'<td class="number">(\d)</td>', cells)[:2])

    orders: set[tuple[str, ...]] = set()
    # Both orders are met long before the twelfth.
    for number in range(12):
        if len(orders) > 1:
            break
        conflict = of(disagree(cast, f"x{number}"))
        row = first_row(take(client, conflict))
        assert first_row(client.get(address(conflict))) == row
        orders.add(row)
    assert orders == {("1", "9"), ("9", "1")}


def test_a_ruling_by_form_is_signed_once_and_shown_when_void(client, carol, conflict, cast):
    client.post(f"{address(conflict)}take/")
    answer = client.post(address(conflict), ruling(has_guideline_gap="on"))
    assert answer.status_code == 303
    row = Adjudication.objects.get()
    assert (row.adjudicator, row.has_guideline_gap) == (carol, True)
    assert row.reason == "Claim 2 was overlooked."
    after = text_of(client.get(address(conflict)))
    assert row.record_sha256[:16] in after and "unchanged" in after
    assert "Signed by carol" in after and 'name="decision"' not in after
    answer = client.post(address(conflict), ruling())
    assert answer.status_code == 409
    assert b"has already been ruled on" in answer.content
    signed = Adjudication.objects.get()
    void_adjudication(adjudication_id=signed.pk, reason="Wrong text.", by=cast.ada)
    text = text_of(client.get(address(conflict)))
    assert "Void" in text and "Wrong text." in text and "Take this conflict" in text


def test_one_rating_is_taken_for_both_candidates_of_a_flip(client, carol, ratings, flip) -> None:
    page = take(client, flip).content.decode()
    choices = re.findall(r'value="(take [0-9a-f-]{36})"', page)
    assert len(choices) == 2
    client.post(address(flip), ruling(decision=choices[0]))
    taken = set(Ruling.objects.values_list("rating__annotator", flat=True))
    assert Ruling.objects.count() == 2 and len(taken) == 1


def test_new_scores_of_a_flip_reach_the_candidate_beside_which_they_stand(client, carol, flip):
    own = dict.fromkeys(CRITERIA, "2")
    other = {f"other_{key}": "8" for key in CRITERIA}
    client.post(f"{address(flip)}take/")
    answer = client.post(address(flip), ruling(decision="scores", **own, **other))
    assert answer.status_code == 303
    found = {row.candidate_id: row.scores["overall_quality"] for row in Ruling.objects.all()}
    assert found == {flip.candidate_id: "2", flip.other_candidate_id: "8"}


def test_a_conflict_that_another_has_open_is_not_taken(client, carol, dora, conflict) -> None:
    other = signed_in(dora)
    take(other, conflict)
    page = take(client, conflict)
    assert b"Another adjudicator has this conflict open" in page.content
    assert WORDS["alice"] not in page.content.decode()
    assert b"another adjudicator" in client.get("/adjudication/").content
    assert client.post(address(conflict), ruling()).status_code == 409


def test_a_taken_conflict_is_renewed_and_free_once_given_back(client, carol, conflict):
    answer = client.post(f"{address(conflict)}take/", headers={"HX-Request": "true"})
    assert re.fullmatch(r"\d\d:\d\d UTC", answer.json()["until"])
    assert client.post(f"/adjudication/{uuid4()}/give-back/").status_code == 404
    client.post(f"{address(conflict)}take/")
    answer = client.post(f"{address(conflict)}give-back/")
    assert (answer.status_code, answer["Location"]) == (303, "/adjudication/")
    assert not Turn.objects.exists()


def test_ones_own_ratings_are_not_found(client, cast, conflict) -> None:
    client.force_login(grant(cast.alice, cast.campaign, "adjudicator"))
    page = client.get("/adjudication/")
    assert page.status_code == 200 and b"No conflict is open" in page.content
    assert client.get(address(conflict)).status_code == 404
    for path in ("", "take/", "send-back/", "call-back/"):
        assert client.post(f"{address(conflict)}{path}", ruling()).status_code == 404


def test_more_cases_ask_no_more_often(client, carol, cast, ratings, django_assert_max_num_queries):
    for number in range(4):
        disagree(cast, f"y{number}")
    with django_assert_max_num_queries(12):
        client.get("/adjudication/")


def test_claims_too_large_to_compare_are_shown_whole_with_what_is_off(client, flip, carol) -> None:
    flip.candidate.claims = "\n".join(["1. A cup"] * (CLAIMS.most + 1))
    flip.candidate.save()
    html = client.get(address(flip)).content.decode()
    assert CLAIMS.message(CLAIMS.most + 1) in html and flip.candidate.claims in html


LIST = "/campaigns/cups/rulings/"


@pytest.fixture
def row(cast, carol: User, client: Client) -> Adjudication:
    client.force_login(cast.ada)
    return decide(
        of(disagree(cast)),
        carol,
        "scores",
        scores=dict.fromkeys(CRITERIA, 3),
        reason="<b>A wrong key.</b>",
        has_guideline_gap=True,
    )


def void(client: Client, row: Adjudication, reason: str, slug: str = "cups") -> Any:
    return client.post(
        f"/campaigns/{slug}/rulings/{row.pk}/void/", {"reason": reason, "confirmed": "1"}
    )


def test_the_list_says_who_signed_what_and_whether_it_holds(client, row) -> None:
    text = client.get(LIST).content.decode()
    assert "carol" in text and "unchanged" in text and "guideline gap" in text
    assert "&lt;b&gt;A wrong key." in text and "<b>A wrong" not in text
    assert row.record_sha256[:12] in text
    Adjudication.objects.update(reason="Something else.")
    assert b"not what was signed" in client.get(LIST).content


def test_voiding_needs_a_reason_and_opens_the_conflict_again(client, row) -> None:
    asked = client.post(f"{LIST}{row.pk}/void/").content.decode()
    assert "<strong>1 candidate</strong>" in asked and "cannot be taken back" in asked
    answer = void(client, row, " ")
    assert answer.status_code == 422 and b"Give a short reason." in answer.content
    assert Conflict.objects.filter(status="ruled").exists()
    assert void(client, row, "Wrong candidate.").status_code == 303
    assert set(Conflict.objects.values_list("status", flat=True)) == {"open"}
    text = client.get(LIST).content.decode()
    assert "Void</strong> since" in text and "Wrong candidate." in text and "by ada" in text
    assert void(client, row, "Once more.").status_code == 409


def test_the_question_about_voiding_names_what_was_ruled_on(client, row) -> None:
    candidate = row.rulings.get().candidate
    asked = client.post(f"{LIST}{row.pk}/void/").content.decode()
    assert f">{candidate.reference.title}</dd>" in asked
    assert f"<dt>Candidate {candidate.candidate_id}</dt>" in asked
    assert f">{candidate.claims.removeprefix('1. ')}</dd>" in asked


def test_a_ruling_is_not_voided_through_another_campaign(client, cast, row) -> None:
    client.force_login(grant(cast.mallory, cast.elsewhere, "admin"))
    assert b"No rulings yet." in client.get("/campaigns/elsewhere/rulings/").content
    assert void(client, row, "No.", "elsewhere").status_code == 404
    assert Adjudication.objects.get().is_valid
