import re
import uuid
from dataclasses import fields
from fractions import Fraction
from itertools import combinations

import pytest
from django.http import QueryDict
from django.test import Client

from annotator.comparisons.forms import AskForm, PreferenceForm
from annotator.comparisons.queries import CLOSED_SENTENCE, ComparePage, compare_page
from annotator.comparisons.services import assign_comparisons
from annotator.models import (
    Campaign,
    Candidate,
    Comparison,
    Preference,
    ReadingPreference,
    Reference,
)
from patclaimeval.rubric import ALL_CRITERIA

pytestmark = pytest.mark.postgres

FIRST = ALL_CRITERIA[0]


def sent(*values: int, **more: object) -> dict[str, object]:
    return dict(zip(ALL_CRITERIA, values or (1, 0, -1, 1, 0), strict=True)) | more


@pytest.fixture
def rows(cast, client: Client) -> list[Comparison]:
    client.force_login(cast.alice)
    pairs = list(combinations(cast.reference().candidates.all(), 2))
    return assign_comparisons(campaign=cast.campaign, annotator=cast.alice, pairs=pairs)


def path(row: Comparison) -> str:
    return f"/compare/{row.pk}/"


def version(html: str) -> str:
    match = re.search(r'<input type="hidden" name="version" value="([^"]*)"', html)
    assert match
    return match[1]


def test_a_post_stores_the_preference_and_goes_on_to_the_next(client, rows, cast) -> None:
    answer = client.post(path(rows[0]), sent(comment="so"))
    assert (answer.status_code, answer["Location"]) == (303, path(rows[1]))
    stored = Preference.objects.get()
    assert (stored.judgements, stored.comment) == (sent(), "so")
    assert stored.comparison == rows[0]
    script = client.post(path(rows[1]), sent(), headers={"HX-Request": "true"})
    assert script.json() == {"location": path(rows[2])}
    assert client.post(path(rows[2]), sent())["Location"] == "/"


def test_marks_of_a_language_that_is_not_read_are_said_to_be_missing(client, rows) -> None:
    Reference.objects.update(language="fr")
    html = client.get(path(rows[0])).content.decode()
    assert html.count("Not checked in this language (French): antecedents") == 3


def test_the_form_has_five_radio_groups_of_three(client, rows) -> None:
    html = client.get(path(rows[0])).content.decode()
    assert html.count("<fieldset") == html.count("<legend>") == 5
    for key in ALL_CRITERIA:
        values = re.findall(rf'type="radio" name="{key}" value="(-?\d)"', html)
        assert values == ["1", "0", "-1"]
    assert re.search(r'<button type="submit"[^>]*>Submit preference</button>', html)
    # The script puts the focus there where the questions are seen beside the claims.
    assert "data-starts" in html and "autofocus" not in html.split('<dialog id="sign-in')[0]


def test_the_page_says_left_and_right_and_nothing_of_the_rate_screen(client, rows, cast) -> None:
    row = cast.assign(cast.alice, rows[0].left.reference)[0]
    cast.submit(row, (9, 8, 7, 6), comment="rated words")
    html = client.get(path(rows[0])).content.decode()
    assert ">Left" in html and ">Right" in html and "mug" in html
    assert "Candidate 1" not in html and "rated words" not in html and "/rate/" not in html
    for secret in (cast.system_canary, cast.candidate_canary, rows[0].left_id, rows[0].right_id):
        assert str(secret) not in html


def test_a_bad_answer_stores_nothing_and_keeps_all_that_was_typed(client, rows) -> None:
    wrong = {ALL_CRITERIA[1]: "2", ALL_CRITERIA[3]: ""}
    answer = client.post(path(rows[0]), sent(comment="my words") | wrong)
    html = answer.content.decode()
    assert answer.status_code == 422
    assert not Preference.objects.exists()
    assert "my words</textarea>" in html and f'id="{ALL_CRITERIA[3]}-error"' in html
    assert len(re.findall(r'<input type="radio"[^>]* checked', html)) == 3
    # The first error takes the focus, and only it.
    assert re.findall(r'name="(\w+)" value="-?\d" autofocus', html) == [ALL_CRITERIA[1]]


def test_the_same_sent_again_has_one_effect_and_the_same_answer(client, rows) -> None:
    answers = [client.post(path(rows[0]), sent(version=0)) for _ in range(3)]
    assert {(a.status_code, a["Location"]) for a in answers} == {(303, path(rows[1]))}
    assert Preference.objects.get().version == 1


def test_a_preference_is_revised_and_a_mistake_in_a_stale_form_does_not_make_it_fresh(
    client, rows
) -> None:
    client.post(path(rows[0]), sent(comment="first"))
    html = client.get(path(rows[0])).content.decode()
    assert "first</textarea>" in html and "You may change it" in html
    answer = client.post(path(rows[0]), sent(0, 0, 0, 0, 0, version=version(html)))
    assert answer.status_code == 303
    assert Preference.objects.get().version == 2
    answer = client.post(path(rows[0]), sent(version=0) | {FIRST: "x"})
    assert answer.status_code == 422
    assert version(answer.content.decode()) == "0"


def test_a_stale_form_is_409_shows_what_is_stored_and_can_be_sent_again(client, rows) -> None:
    client.post(path(rows[0]), sent(comment="stored words"))
    answer = client.post(path(rows[0]), sent(-1, -1, -1, -1, -1, comment="late", version=0))
    html = answer.content.decode()
    assert answer.status_code == 409
    assert "late</textarea>" in html and "stored words" in html
    assert "feature completeness: left better" in html
    assert re.search(rf'name="{FIRST}" value="-1"[^>]* checked', html)
    assert Preference.objects.get().judgements == sent()
    again = sent(-1, -1, -1, -1, -1, version=version(html))
    assert client.post(path(rows[0]), again).status_code == 303


def test_a_closed_campaign_is_read_only_and_keeps_the_words(client, rows) -> None:
    Campaign.objects.update(status="closed")
    html = client.get(path(rows[0])).content.decode()
    assert CLOSED_SENTENCE in html and "Submit preference" not in html
    assert html.count(" disabled aria-describedby") == 5
    answer = client.post(path(rows[0]), sent(comment="mine"))
    assert answer.status_code == 409
    assert b"mine</textarea>" in answer.content
    assert not Preference.objects.exists()


@pytest.mark.parametrize("more", ["", "reading/"])
def test_anothers_comparison_is_answered_as_one_that_does_not_exist(client, cast, rows, more):
    client.force_login(cast.bob)
    addresses = [f"/compare/{pk}/{more}" for pk in (rows[0].pk, uuid.uuid4())]
    answers = [client.post(address, sent()) for address in addresses]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert answers[0].content == answers[1].content
    assert client.get(path(rows[0])).status_code == 404


def test_an_aid_is_switched_and_remembered_and_what_was_typed_stays(client, rows, cast) -> None:
    values = {FIRST: "-1", "comment": "half", "version": "0", "aid": "diff off"}
    answer = client.post(f"{path(rows[0])}reading/", values)
    html = answer.content.decode()
    assert answer.status_code == 200
    assert "half</textarea>" in html and "shows-diff" not in html and "shows-marks" in html
    assert re.search(rf'name="{FIRST}" value="-1" checked', html)
    assert "aria-invalid" not in html and "field-wrong" not in html
    assert ReadingPreference.objects.get(user=cast.alice).shows_diff is False
    values["aid"] = "diff on"
    script = client.post(f"{path(rows[0])}reading/", values, headers={"HX-Request": "true"})
    panes = script.content.decode()
    assert panes.lstrip().startswith('<div id="panes"') and "<form" not in panes
    assert "shows-diff" in panes and "shows-diff" in client.get(path(rows[0])).content.decode()
    assert client.post(f"{path(rows[0])}reading/", {"aid": "x"}).status_code == 422


def test_each_claim_has_a_cell_and_each_side_says_how_its_claims_differ(client, rows) -> None:
    html = client.get(path(rows[0])).content.decode()
    cells = re.findall(
        r'<a class="cell state-(\w+)"[^>]*data-places="([^"]*)" title="([^"]*)"', html
    )
    assert [(state, label) for state, _, label in cells] == [
        ("changed", "changed"),
        ("missing", "missing"),
    ]
    places = [place for _, found, _ in cells for place in found.split()]
    assert places[0].startswith("left-") and all(f'id="{place}"' in html for place in places)
    assert html.count('<p class="states">') == 2
    assert 'id="tools"' in html


def test_a_class_of_differences_is_counted_over_both_sides_and_switched(client, rows) -> None:
    for number, row in enumerate((rows[0].left, rows[0].right)):
        row.claims = row.reference.claims.replace("1. A ", "1. The ", 1)[: 40 - number]
        row.save()
    html = client.get(path(rows[0])).content.decode()
    assert re.search(r'value="articles on" aria-pressed="false"[^>]*>articles 4</button>', html)
    client.post(f"{path(rows[0])}reading/", {"aid": "articles on"})
    shown = client.get(path(rows[0])).content.decode()
    assert "shows-articles" in shown and 'value="articles off"' in shown


def test_own_keys_are_printed_and_handed_to_the_script(client, rows, cast) -> None:
    ReadingPreference.objects.create(user=cast.alice, keys={"comment": "y"}, single_keys=True)
    html = client.get(path(rows[0])).content.decode()
    assert "Comment <kbd>y</kbd>" in html
    assert "&quot;comment&quot;: [&quot;y&quot;]" in html


def test_an_admin_asks_and_reads_what_came_of_it(client, cast) -> None:
    cast.reference("r1", 5)
    client.force_login(cast.ada)
    answer = client.post("/campaigns/cups/comparisons/", {"share": "20", "seed": "3"}, follow=True)
    assert answer.redirect_chain == [("/campaigns/cups/", 303)]
    assert b"2 of 10 pairs drawn; 4 comparisons assigned." in answer.content
    assert b"0 of 4 comparisons answered." in answer.content
    assert b"so nothing can be checked" in answer.content
    Campaign.objects.update(status="closed")
    answer = client.post("/campaigns/cups/comparisons/", {"share": "50", "seed": "0"})
    assert answer.status_code == 409


@pytest.mark.parametrize(
    ("share", "seed", "wrong"), [("101", "", "share"), ("", "", "share"), ("5", "-1", "seed")]
)
def test_a_wrong_wish_is_shown_again_with_its_reasons(client, cast, share, seed, wrong) -> None:
    cast.reference()
    client.force_login(cast.ada)
    answer = client.post("/campaigns/cups/comparisons/", {"share": share, "seed": seed})
    html = answer.content.decode()
    assert answer.status_code == 422
    assert f'id="id_{wrong}_error"' in html
    assert re.findall(r'<input[^>]*name="(\w+)"[^>]*autofocus', html) == [wrong]
    assert not share or f'value="{share}"' in html
    assert not Comparison.objects.exists()


def test_the_queue_lists_open_comparisons_and_the_check_shows_no_names(client, rows, cast):
    client.post(path(rows[0]), sent())
    html = client.get("/").content.decode()
    links = re.findall(r'<a href="/compare/([0-9a-f-]+)/">', html)
    assert links == [str(row.pk) for row in rows[1:]]
    for assignment in cast.assign(cast.alice, rows[0].left.reference):
        cast.submit(assignment)
    client.force_login(cast.ada)
    html = client.get("/campaigns/cups/").content.decode()
    section = html[html.index("comparisons-heading") :]
    assert "1 of 3 comparisons answered." in section
    assert '<th scope="row">Overall quality</th><td class="number">1</td>' in section
    assert "alice" not in section


GOOD = "&".join(f"{key}={value}" for key, value in zip(ALL_CRITERIA, "10110", strict=True))


def form(text: str) -> PreferenceForm:
    return PreferenceForm(QueryDict(text))


def test_five_answers_are_read_and_what_is_none_is_refused_by_its_field() -> None:
    read = form(f"{GOOD}&comment=so&version=2".replace("=1", "=%20-1%0A", 1))
    assert read.is_valid()
    assert list(read.judgements.values()) == [-1, 0, 1, 1, 0]
    assert (read.version_seen, read.cleaned_data["comment"]) == (2, "so")
    for bad in ("", "2", "-2", "%2B1", "1.0", "01", "--1", "true", "\u0661", "-0"):
        read = form(GOOD.replace("logical_linkage=1", f"logical_linkage={bad}"))
        assert list(read.errors) == ["logical_linkage"], bad
    assert list(form(f"{GOOD}&logical_linkage=0").errors) == ["logical_linkage"]
    assert "no field named beauty" in str(form(f"{GOOD}&beauty=1").errors)


def test_a_share_is_exact_and_between_nothing_and_all() -> None:
    for share in ("0", "100.01", "-1", "NaN", "Infinity", "1e999", "x", ""):
        assert "share" in AskForm(QueryDict(f"share={share}&seed=0")).errors, share
    read = AskForm(QueryDict("share=12.5&seed=7"))
    assert read.is_valid() and read.exact_share == Fraction(1, 8)


def test_a_page_shows_its_two_sides_and_leads_to_its_neighbours(
    cast, rows, django_assert_max_num_queries
) -> None:
    with django_assert_max_num_queries(6):
        compare_page(cast.alice, rows[1].pk)
    keys = [row.pk for row in rows]
    for row, previous, following in zip(rows, [None, *keys], [*keys[1:], None], strict=False):
        page = compare_page(cast.alice, row.pk)
        assert page is not None
        assert (page.previous, page.following) == (previous, following)
        for view, candidate in zip(page.seen.candidates, (row.left, row.right), strict=True):
            words = "".join(s.text for e in view.claims[0].limitations for s in e.segments)
            assert words and candidate.claims.endswith(words)
        # The template is handed no row of a candidate.
        values = [getattr(page, field.name) for field in fields(ComparePage)]
        assert not any(isinstance(value, Candidate | Comparison) for value in values)
