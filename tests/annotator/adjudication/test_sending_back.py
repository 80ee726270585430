import re
from typing import Any

import pytest
from django.utils.html import strip_tags

from annotator.adjudication.rounds import send_back, take_turn
from annotator.models import Adjudication, Candidate, Conflict, Round
from patclaimeval.rubric import CRITERIA
from tests.annotator.adjudication.discrepant import (
    disagree,
    give_ladder,
    member,
    of,
    revise,
    share,
    statuses,
)
from tests.annotator.adjudication.rulings import PASSWORD

QUESTION = "Does claim 2 narrow the handle?"

pytestmark = pytest.mark.django_db


@pytest.fixture
def candidate(cast) -> Candidate:
    return disagree(cast)


@pytest.fixture
def taken(carol, candidate, client) -> str:
    """Give the address of carol's conflict, which she has open."""
    client.force_login(carol)
    take_turn(conflict_id=of(candidate).pk, adjudicator=carol)
    return f"/adjudication/{of(candidate).pk}/"


def both_forms(**more: str) -> dict[str, str]:
    ruling = {"decision": "scores", "reason_code": "overlooked", "reason": "typed reason"}
    ruling |= {CRITERIA[0]: "7"}
    return ruling | {"back_kind": "again", "back_question": QUESTION} | more


def sure(**more: str) -> dict[str, str]:
    return both_forms(**more) | {"confirmed": "1"}


def text_of(answer: Any) -> str:
    return " ".join(strip_tags(answer.content.decode()).split())


def test_what_sending_back_does_is_said_first_and_the_ruling_goes_along(client, candidate, taken):
    page = client.get(taken).content.decode()
    assert f'formaction="{taken}send-back/"' in page
    # Enter in the password signs: the first button of the form is still the ruling's.
    form = page[page.index('id="ruling"') :]
    assert re.findall(r"<button[^>]*>([^<]*)", form)[0] == "Sign the ruling"
    asked = client.post(f"{taken}send-back/", both_forms(password=PASSWORD)).content.decode()
    assert "<strong>2 annotators</strong> look again, or one more rates it" in asked
    assert "can be called back until they have answered" in asked and PASSWORD not in asked
    assert f'name="{CRITERIA[0]}" value="7"' in asked and 'value="typed reason"' in asked
    assert statuses(candidate) == {"open"} and not Round.objects.exists()
    answer = client.post(f"{taken}send-back/", sure())
    assert (answer.status_code, answer["Location"]) == (303, "/adjudication/")
    assert Round.objects.get().question == QUESTION
    assert statuses(candidate) == {"waiting"} and not Adjudication.objects.exists()


def test_who_rules_after_all_finds_the_ruling_and_the_question_as_typed(client, taken) -> None:
    answer = client.post(f"{taken}send-back/", sure(leave="1", reason_code=""))
    page = answer.content.decode()
    assert answer.status_code == 200 and "Not signed yet" not in page
    assert "field-wrong" not in page
    assert "typed reason" in page and 'value="7" selected' in page
    assert re.search(r'value="scores"[^>]* checked', page)
    assert f'name="back_question" value="{QUESTION}"' in page
    assert not Round.objects.exists()


WRONG = {
    "none": {"back_kind": ""},
    "ladder": {"back_kind": "ladder"},
    "blank": {"back_question": " "},
    "nul": {"back_question": "nul\x00"},
    "long": {"back_question": "x" * 200_000},
    "digit": {"back_kind": "٣"},
    "nobody is left": {"back_kind": "another"},
}


def test_what_is_wrong_comes_back_with_everything_typed_in_both_forms(client, taken) -> None:
    for name, wrong in WRONG.items():
        answer = client.post(f"{taken}send-back/", sure(password=PASSWORD, **wrong))
        page = answer.content.decode()
        assert answer.status_code == 422 and PASSWORD not in page, name
        assert 'value="typed reason"' in page and f'name="{CRITERIA[0]}" value="7"' in page, name
        assert 'name="decision" value="scores"' in page, name
        assert wrong.get("back_question", QUESTION).strip("\x00") in page, name
        assert 'class="error"' in page, name
        assert not Round.objects.exists(), name


@pytest.mark.parametrize("decision", ["mean", "guess", "take 7"])
def test_a_ruling_that_is_refused_keeps_the_question_too(client, taken, decision) -> None:
    password = "" if decision == "mean" else PASSWORD
    answer = client.post(taken, both_forms(decision=decision, password=password))
    assert answer.status_code == 422
    assert QUESTION in answer.content.decode()


def test_what_another_did_meanwhile_is_a_409_that_shows_the_words(client, candidate, taken, dora):
    client.post(f"{taken}give-back/")
    take_turn(conflict_id=of(candidate).pk, adjudicator=dora)
    for address in (taken, f"{taken}send-back/"):
        answer = client.post(address, both_forms(decision="mean", password=PASSWORD))
        assert answer.status_code == 409
        assert "typed reason" in text_of(answer) and QUESTION in text_of(answer)


def test_what_waits_is_listed_with_round_and_time_and_without_names(client, candidate, taken):
    client.post(f"{taken}send-back/", sure())
    text = text_of(client.get("/adjudication/"))
    since = Round.objects.get().made_at
    assert "Waiting for annotators 1" in text and "0 open" in text
    assert "Round 2: the same annotators look again" in text
    assert f"{since:%H:%M} UTC" in text
    assert not re.search(r"\b(alice|bob)\b", text)


def test_a_ladder_waits_in_the_list_too_and_shows_no_ratings(cast, client) -> None:
    give_ladder(cast)
    member(cast, "erin")
    candidate = disagree(cast)
    client.force_login(cast.carol)
    text = text_of(client.get("/adjudication/"))
    assert "Round 2: one more annotator, by the campaign's rules" in text.replace("&#x27;", "'")
    page = text_of(client.get(f"/adjudication/{of(candidate).pk}/"))
    assert "Call back" in page and "Annotator 1" not in page and "Take this" not in page


def test_called_back_it_is_in_the_list_of_who_may_rule(client, taken, dora) -> None:
    client.post(f"{taken}send-back/", sure())
    answer = client.post(f"{taken}call-back/", follow=True)
    text = text_of(answer)
    assert "called back" in text and "0 open" in text and "Waiting" not in text
    assert "another adjudicator rules on it" in text_of(client.get(taken))
    assert "another adjudicator rules on it" in text_of(client.post(f"{taken}take/", follow=True))
    refused = client.post(taken, both_forms(decision="mean", password=PASSWORD))
    assert refused.status_code == 403 and "typed reason" in text_of(refused)
    client.force_login(dora)
    text = text_of(client.get("/adjudication/"))
    assert "1 open" in text and "round 2" in text
    client.post(f"{taken}take/")
    page = text_of(client.get(taken))
    assert f"the same annotators look again; called back. {QUESTION}" in page.replace("&quot;", "")
    answer = client.post(f"{taken}call-back/", follow=True)
    assert "no longer being asked" in text_of(answer)


def test_the_page_shows_what_the_second_look_changed(cast, client, candidate, taken) -> None:
    client.post(f"{taken}send-back/", sure())
    revise(cast.alice, candidate, (4, 1, 1, 1))
    revise(cast.bob, candidate)
    client.post(f"{taken}take/")
    page = client.get(taken).content.decode()
    rows = re.findall(r"<th scope=.row.>(.*?)</tr>", page, re.S)
    shown = [" ".join(strip_tags(row).split()) for row in rows]
    feature = next(row for row in shown if row.startswith("Feature completeness"))
    assert "before the annotators were asked again 1 →, now 4" in feature
    clarity = next(row for row in shown if row.startswith("Conceptual clarity"))
    assert "→" not in clarity
    assert QUESTION in page and page.count("round 2") == 2
    assert "look again; answered." in strip_tags(page)


def test_a_further_annotator_sees_nothing_special(cast, client, candidate, taken):
    erin = member(cast, "erin")
    client.post(f"{taken}send-back/", sure(back_kind="another"))
    client.force_login(erin)
    for address in ("/", f"/rate/{share(erin, candidate).pk}/"):
        text = text_of(client.get(address))
        assert QUESTION not in text and "look again" not in text and "ound 2" not in text
    cast.submit(share(erin, candidate), (5, 5, 5, 5))
    client.force_login(cast.carol)
    client.post(f"{taken}take/")
    page = client.get(taken).content.decode()
    assert page.count(">round 2<") == 1 and "Annotator 3" in page and "→" not in page


def test_an_annotator_is_asked_on_the_queue_and_on_the_rate_page(cast, client, candidate) -> None:
    client.force_login(cast.alice)
    assert "look again" not in text_of(client.get("/"))
    send_back(conflict_id=of(candidate).pk, adjudicator=cast.carol, kind="again", question=QUESTION)
    text = text_of(client.get("/"))
    assert "Asked to look again 1" in text and "Look again at Candidate 1" in text
    assert QUESTION in text and "Title of r1" in text
    address = f"/rate/{share(cast.alice, candidate).pk}/"
    page = client.get(address)
    assert QUESTION in text_of(page) and "Submit rating" in text_of(page)
    for shown in (text, text_of(page)):
        assert not re.search(r"conflict(?! of interest)|disagree|bob|carol", shown, re.I)
    fields = dict(
        re.findall(r'name="(version|draft_version|key)" value="([^"]*)"', page.content.decode())
    )
    answer = client.post(address, dict.fromkeys(CRITERIA, "1") | fields)
    assert (answer.status_code, answer["Location"]) == (303, "/")
    rating = candidate.ratings.get(annotator=cast.alice)
    assert (rating.version, rating.round, rating.scores[CRITERIA[0]]) == (2, 2, 1)
    assert "look again" not in text_of(client.get("/")).lower()
    assert QUESTION not in text_of(client.get(address))


def test_the_next_candidate_is_what_is_to_be_looked_at_again(cast, client, candidate) -> None:
    (row,) = cast.assign(cast.alice, cast.reference("r2", 1))
    (other,) = cast.assign(cast.alice, cast.reference("r3", 1))
    send_back(conflict_id=of(candidate).pk, adjudicator=cast.carol, kind="again", question=QUESTION)
    client.force_login(cast.alice)
    answer = client.post(f"/rate/{row.pk}/", dict.fromkeys(CRITERIA, "5"))
    assert answer["Location"] == f"/rate/{share(cast.alice, candidate).pk}/"
    revise(cast.alice, candidate)
    (last,) = cast.assign(cast.alice, cast.reference("r4", 1))
    answer = client.post(f"/rate/{last.pk}/", dict.fromkeys(CRITERIA, "5"))
    assert answer["Location"] == f"/rate/{other.pk}/"


def test_a_list_of_waiting_cases_asks_the_database_as_often_for_many(
    cast, client, candidate, taken, django_assert_max_num_queries
) -> None:
    for number in range(2):
        other = disagree(cast, f"x{number}")
        send_back(conflict_id=of(other).pk, adjudicator=cast.carol, kind="again", question=QUESTION)
    assert Conflict.objects.filter(status="waiting").count() >= 2 * 5
    with django_assert_max_num_queries(14):
        client.get("/adjudication/")
