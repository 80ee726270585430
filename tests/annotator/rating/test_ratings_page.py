import re
import uuid
from datetime import timedelta

import pytest
from django.utils import timezone
from django.utils.html import escape

from annotator.conflicts.queries import LOCKED_SENTENCE
from annotator.models import Assignment, AuditEvent, Campaign, Membership, Rating, RatingRevision
from annotator.rating.views import following
from patclaimeval.claims.reading_limits import CLAIMS
from patclaimeval.rubric import CRITERIA
from tests.conftest import grant

FIRST = CRITERIA[0]


def path(row: Assignment) -> str:
    return f"/rate/{row.pk}/"


def hidden(html: str, name: str) -> str:
    match = re.search(rf'<input type="hidden" name="{name}" value="([^"]*)"', html)
    assert match
    return match[1]


def test_a_post_without_a_button_name_stores_the_rating_and_goes_on(client, rows, cast, typed):
    answer = client.post(path(rows[0]), typed(comment="good"))
    assert (answer.status_code, answer["Location"]) == (303, path(rows[1]))
    rating = Rating.objects.get()
    assert rating.scores == dict(zip(CRITERIA, (7, 5, 9, 10), strict=True))
    assert (rating.annotator, rating.comment, rating.overall_numerator) == (cast.alice, "good", 86)
    assert AuditEvent.objects.filter(action="rating.submitted").count() == 1
    assert client.post(path(rows[1]), typed())["Location"] == path(rows[2])
    assert client.post(path(rows[2]), typed())["Location"] == "/"


def test_after_a_lease_the_next_candidate_is_taken_at_once(client, cast, typed):
    cast.reference("r1", 2)
    client.force_login(cast.alice)
    first = client.post("/campaigns/cups/next/")["Location"]
    second = client.post(first, typed())["Location"]
    assert second.startswith("/rate/") and second != first
    assert client.post(second, typed())["Location"] == "/"
    assert Rating.objects.count() == 2
    answer = client.post("/campaigns/cups/next/", follow=True)
    assert b"Nothing is left to rate in Cups." in answer.content


def test_the_form_has_four_radio_groups_with_eleven_values(client, rows) -> None:
    html = client.get(path(rows[0])).content.decode()
    assert html.count("<fieldset") == html.count("<legend>") == 4
    for key in CRITERIA:
        values = re.findall(rf'type="radio" name="{key}" value="(\d+)"', html)
        assert values == [str(n) for n in range(11)]
    # The page begins at the claims; its script puts the focus on the scales where they are seen.
    assert not re.search(r'type="radio"[^>]* autofocus', html) and " data-starts>" in html
    assert re.search('<output id="overall-quality"[^>]*>\N{EN DASH}</output>', html)
    assert re.search(r'<button type="submit"[^>]*>Submit rating</button>', html)
    assert uuid.UUID(hidden(html, "key")).version == 4
    again = client.get(path(rows[0])).content.decode()
    assert hidden(again, "key") != hidden(html, "key")
    # Claim text is shut to helpers of the browser and absent from title and address.
    assert 'translate="no" spellcheck="false"' in html and 'autocomplete="off"' in html
    assert "<title>Rate Candidate 1 · PatClaimEval</title>" in html


def test_a_bad_score_stores_nothing_and_keeps_all_that_was_typed(client, rows, typed) -> None:
    sent = typed(comment="my words") | {CRITERIA[1]: "10.5", CRITERIA[3]: ""}
    answer = client.post(path(rows[0]), sent)
    html = answer.content.decode()
    assert answer.status_code == 422 and not Rating.objects.exists()
    assert "my words</textarea>" in html and f'id="{CRITERIA[3]}-error"' in html
    assert len(re.findall(r"<input type=\"radio\"[^>]* checked", html)) == 2
    # The first error takes the focus, and only it.
    assert re.findall(r'name="(\w+)" value="0"[^>]* autofocus', html) == [CRITERIA[1]]


def test_a_key_sent_again_has_one_effect_and_a_form_with_other_scores_is_409(
    client, rows, typed
) -> None:
    answers = [
        client.post(path(rows[0]), typed(key="k1", comment="stored words")) for _ in range(3)
    ]
    assert {(a.status_code, a["Location"]) for a in answers} == {(303, path(rows[1]))}
    assert RatingRevision.objects.count() == 1
    answer = client.post(path(rows[0]), typed(1, 1, 1, 1, key="k1", comment="late words"))
    html = answer.content.decode()
    assert answer.status_code == 409
    assert "late words</textarea>" in html and "stored words" in html
    assert re.search(rf'name="{FIRST}" value="1"[^>]* checked', html)
    assert Rating.objects.get().comment == "stored words"
    assert hidden(html, "version") == "1"
    assert hidden(html, "key") != "k1"


def test_a_rating_is_revised_and_a_mistake_in_a_stale_form_does_not_make_it_fresh(
    client, rows, typed
) -> None:
    client.post(path(rows[0]), typed(comment="first"))
    html = client.get(path(rows[0])).content.decode()
    assert "first</textarea>" in html and ">7.82</output>" in html
    version = hidden(html, "version")
    for _ in range(2):  # sent twice it is made once
        assert client.post(path(rows[0]), typed(8, 8, 8, 8, version=version)).status_code == 303
    assert Rating.objects.get().overall_numerator == 88
    assert [r.overall_numerator for r in RatingRevision.objects.all()] == [86, 88]
    answer = client.post(path(rows[0]), typed(version=1) | {FIRST: "x"})
    assert answer.status_code == 422
    assert hidden(answer.content.decode(), "version") == "1"


def test_a_locked_rating_is_read_only_and_a_late_form_keeps_its_words(client, cast, typed) -> None:
    reference = cast.reference("r1", 1)
    long_ago = timezone.now() - timedelta(days=3)
    for user in (cast.alice, cast.bob):
        cast.submit(cast.assign(user, reference)[0], submitted_at=long_ago)
    client.force_login(cast.alice)
    row = Assignment.objects.get(annotator=cast.alice)
    html = client.get(path(row)).content.decode()
    assert "Submit rating" not in html
    assert html.count(" disabled aria-describedby") == 4
    assert LOCKED_SENTENCE in client.get(path(row)).context["page"].closed_because
    answer = client.post(path(row), typed(1, 1, 1, 1, version=1, comment="too late"))
    assert answer.status_code == 409
    assert b"too late</textarea>" in answer.content
    assert Rating.objects.get(annotator=cast.alice).overall_numerator == 55


def test_the_overall_is_computed_as_for_storing_and_nothing_is_stored(client, rows, typed):
    answer = client.post(f"{path(rows[0])}overall/", typed(7, 5, 9, 10))
    assert b">7.82</output>" in answer.content and b"High." in answer.content
    assert not Rating.objects.exists()
    answer = client.post(f"{path(rows[0])}overall/", {FIRST: "7", CRITERIA[1]: "11"})
    assert answer.status_code == 200
    assert b"3 of 4 criteria still to rate" in answer.content


def test_claims_too_large_to_compare_are_shown_whole_with_what_is_off(client, rows) -> None:
    candidate = rows[0].candidate
    candidate.claims = "\n".join(f"1. A <cup {n}>" for n in range(CLAIMS.most + 1))
    candidate.save()
    html = client.get(path(rows[0])).content.decode()
    assert CLAIMS.message(CLAIMS.most + 1) in html
    assert escape(candidate.claims) in html
    assert html.count("<article") == 2


def test_the_same_reference_comes_first_then_the_campaign_then_others(cast) -> None:
    first = cast.assign(cast.alice, cast.reference("r1", 2))
    second = cast.assign(cast.alice, cast.reference("r2", 2))
    grant(cast.alice, cast.elsewhere, "annotator")
    away = cast.assign(cast.alice, cast.reference("r3", 1, cast.elsewhere))
    seen = []
    row: Assignment | None = second[0]
    while row:
        cast.submit(row)
        seen.append(row.pk)
        row = following(cast.alice, row)
    assert seen == [second[0].pk, second[1].pk, first[0].pk, first[1].pk, away[0].pk]
    # Named work that is done takes nothing on demand.
    cast.reference("r4", 1)
    assert following(cast.alice, away[0]) is None
    assert Assignment.objects.count() == len(seen)


@pytest.mark.parametrize("change", ["closed", "no member"])
def test_where_nothing_may_be_given_out_any_more_nothing_follows(cast, change: str) -> None:
    cast.reference("r1", 2)
    row = cast.take(cast.alice)
    cast.submit(row)
    if change == "closed":
        Campaign.objects.update(status="closed")
    else:
        Membership.objects.filter(user=cast.alice).delete()
    row = Assignment.objects.get()
    assert following(cast.alice, row) is None
    assert Assignment.objects.count() == 1
