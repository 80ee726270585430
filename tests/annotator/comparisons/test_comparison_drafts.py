"""Drafts of the compare page: stored before a submit, and no tab overwrites another."""

import re
from itertools import combinations

import pytest
from django.http import HttpResponse
from django.test import Client

from annotator.comparisons.drafts import save_comparison_draft
from annotator.comparisons.services import assign_comparisons, submit_preference
from annotator.imports.erasing import erase_texts
from annotator.models import Campaign, Comparison, ComparisonDraft, Preference
from annotator.typed_drafts import LONGEST_TYPED, DraftMoved
from core.errors import OutOfDate
from patclaimeval.rubric import ALL_CRITERIA

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

FIRST = ALL_CRITERIA[0]
SCRIPT = {"HX-Request": "true"}
ANSWERS = dict.fromkeys(ALL_CRITERIA, "1")


@pytest.fixture
def row(cast, client: Client) -> Comparison:
    client.force_login(cast.alice)
    pairs = list(combinations(cast.reference("r1", 2).candidates.all(), 2))
    (comparison,) = assign_comparisons(campaign=cast.campaign, annotator=cast.alice, pairs=pairs)
    return comparison


def path(row: Comparison, action: str = "") -> str:
    return f"/compare/{row.pk}/{action}"


def field(page: HttpResponse, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page.content.decode())
    assert found
    return found[1]


def test_what_is_typed_is_there_after_a_reload(client, row) -> None:
    typed = {FIRST: "-1", "comment": "half a thought", "version": "0", "typed_version": "0"}
    saved = client.post(path(row, "draft/"), typed, headers=SCRIPT)
    assert saved.json()["version"] == 1
    page = client.get(path(row))
    html = page.content.decode()
    assert re.search(rf'name="{FIRST}" value="-1" checked', html)
    assert "half a thought</textarea>" in html and "not submitted yet" in html
    assert field(page, "typed_version") == "1"
    assert f'{path(row)}">Comparison 1</a> <span class="hint">draft</span>' in (
        client.get("/").content.decode()
    )
    assert not Preference.objects.exists()


def test_a_button_stores_the_draft_without_a_script(client, row) -> None:
    assert path(row, "draft/") in client.get(path(row)).content.decode()
    typed = {"comment": "by button", "version": "0", "typed_version": "0"}
    answer = client.post(path(row, "draft/"), typed, follow=True)
    assert answer.redirect_chain == [(path(row), 303)]
    assert b"Draft saved." in answer.content and b"by button</textarea>" in answer.content


def test_a_submit_ends_the_draft_also_where_it_changes_nothing(client, row) -> None:
    for version in (0, 1):
        typed = ANSWERS | {"comment": "so", "version": str(version), "typed_version": "0"}
        assert client.post(path(row, "draft/"), typed, headers=SCRIPT).status_code == 200
        page = client.get(path(row))
        assert b"not submitted yet" in page.content
        sent = typed | {"typed_version": field(page, "typed_version")}
        assert client.post(path(row), sent).status_code == 303
        assert not ComparisonDraft.objects.exists()
    assert Preference.objects.get().version == 1


def test_two_tabs_do_not_overwrite_each_other_and_both_texts_are_shown(client, row) -> None:
    sent = ANSWERS | {"version": "0", "typed_version": "0"}
    client.post(path(row, "draft/"), sent | {"comment": "of one tab"}, headers=SCRIPT)
    clash = client.post(path(row, "draft/"), sent | {"comment": "of the other"}, headers=SCRIPT)
    assert clash.status_code == 409
    assert (clash.json()["typed"]["comment"], clash.json()["version"]) == ("of one tab", 1)
    for action in ("draft/", ""):
        page = client.post(path(row, action), sent | {"comment": "of the other"})
        html = page.content.decode()
        assert page.status_code == 409 and "of the other</textarea>" in html
        assert '<q translate="no">of one tab</q>' in html
        assert field(page, "typed_version") == "1"
    assert ComparisonDraft.objects.get().typed["comment"] == "of one tab"
    again = sent | {"comment": "of the other", "typed_version": "1"}
    assert client.post(path(row), again).status_code == 303
    assert Preference.objects.get().comment == "of the other"


def test_a_draft_that_comes_after_the_submit_changes_nothing(client, cast, row) -> None:
    submit_preference(
        comparison_id=row.pk, annotator=cast.alice, judgements=dict.fromkeys(ALL_CRITERIA, 0)
    )
    late = ANSWERS | {"version": "0", "typed_version": "0"}
    answer = client.post(path(row, "draft/"), late, headers=SCRIPT)
    assert answer.status_code == 409 and "submitted in another tab" in answer.json()["sentence"]
    assert not ComparisonDraft.objects.exists()


def test_a_refused_submit_is_kept_as_a_draft(client, cast, row) -> None:
    submit_preference(
        comparison_id=row.pk, annotator=cast.alice, judgements=dict.fromkeys(ALL_CRITERIA, 0)
    )
    stale = ANSWERS | {"version": "0", "typed_version": "0", "comment": "my late words"}
    assert client.post(path(row), stale).status_code == 409
    assert ComparisonDraft.objects.get().typed["comment"] == "my late words"
    assert b"my late words</textarea>" in client.get(path(row)).content


def test_a_program_that_knows_of_no_draft_ends_none(cast, row) -> None:
    save_comparison_draft(
        comparison_id=row.pk, typed={"comment": "mine"}, version=0, preference_version=0
    )
    given = {"comparison_id": row.pk, "annotator": cast.alice}
    with pytest.raises(OutOfDate, match="newer draft"):
        submit_preference(**given, judgements=dict.fromkeys(ALL_CRITERIA, 1), draft_version=0)
    submit_preference(**given, judgements=dict.fromkeys(ALL_CRITERIA, 1))
    assert ComparisonDraft.objects.get().typed == {"comment": "mine"}


@pytest.mark.parametrize("version", [1, 3, 10**30, -1])
def test_only_the_version_that_was_seen_is_replaced(row, version) -> None:
    def save(words: str, version: int) -> None:
        save_comparison_draft(
            comparison_id=row.pk, typed={"comment": words}, version=version, preference_version=0
        )

    save("old", 0)
    save("newer", 1)
    with pytest.raises(DraftMoved) as moved:
        save("stale", version)
    there = moved.value.draft
    assert there and (there.typed, there.version) == ({"comment": "newer"}, 2)


def test_what_cannot_be_kept_is_refused_and_shown_again(client, row) -> None:
    for words in ("x" * (LONGEST_TYPED + 1), "a\x00b"):
        sent = {"comment": words, "version": "0", "typed_version": "0"}
        assert client.post(path(row, "draft/"), sent, headers=SCRIPT).status_code == 422
        page = client.post(path(row, "draft/"), sent)
        assert page.status_code == 422 and b"</textarea>" in page.content
        assert b"Choose left better" not in page.content
    assert not ComparisonDraft.objects.exists()


def test_a_draft_is_discarded_once_confirmed(client, row) -> None:
    typed = {FIRST: "1", "comment": "half", "version": "0", "typed_version": "0"}
    client.post(path(row, "draft/"), typed, headers=SCRIPT)
    asked = client.post(path(row, "draft/discard/"), {"typed_version": "1"}).content.decode()
    assert "1 answer, your comment" in asked and ComparisonDraft.objects.exists()
    sent = {"typed_version": "1", "confirmed": "1"}
    told = client.post(path(row, "draft/discard/"), sent, follow=True)
    assert b"Draft discarded." in told.content and not ComparisonDraft.objects.exists()


def test_a_draft_is_its_authors_alone(client, cast, row) -> None:
    typed = {"comment": "my canary words", "version": "0", "typed_version": "0"}
    client.post(path(row, "draft/"), typed, headers=SCRIPT)
    client.force_login(cast.bob)
    for action in ("draft/", "draft/discard/"):
        assert client.post(path(row, action), typed).status_code == 404
    for user in (cast.ada, cast.carol, cast.rita):
        client.force_login(user)
        assert client.post(path(row, "draft/"), typed).status_code == 403
        for address in ("/", "/campaigns/cups/", "/campaigns/cups/settled/"):
            assert b"my canary words" not in client.get(address).content


def test_an_erasure_takes_drafts_of_comparisons_along(client, cast, row) -> None:
    submit_preference(
        comparison_id=row.pk, annotator=cast.alice, judgements=dict.fromkeys(ALL_CRITERIA, 0)
    )
    save_comparison_draft(
        comparison_id=row.pk, typed={"comment": "quotes"}, version=0, preference_version=1
    )
    assert erase_texts(row.left.reference)["comparison drafts"] == 1
    assert not ComparisonDraft.objects.exists() and Preference.objects.exists()


def test_a_closed_comparison_takes_no_draft(client, row) -> None:
    Campaign.objects.update(status="closed")
    typed = {"comment": "late", "version": "0", "typed_version": "0"}
    assert client.post(path(row, "draft/"), typed, headers=SCRIPT).status_code == 409
    assert b"late</textarea>" in client.post(path(row, "draft/"), typed).content
    assert b"Save as draft" not in client.get(path(row)).content
    assert not ComparisonDraft.objects.exists()
