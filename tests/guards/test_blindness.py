"""No page or answer for an annotator reveals the system, another's rating, or a conflict."""

import re
from dataclasses import dataclass
from html import unescape
from itertools import combinations

import pytest
from django.test import Client
from django.utils.html import strip_tags

from annotator.accounts.sessions import create_token
from annotator.adjudication.rounds import take_turn
from annotator.adjudication.rulings.services import rule
from annotator.comparisons.services import assign_comparisons, submit_preference
from annotator.conflicts.queries import LOCKED_SENTENCE
from annotator.models import Assignment, Comparison, Conflict, User
from patclaimeval.rubric import ALL_CRITERIA, CRITERIA
from tests.conftest import CANDIDATE_CANARY, SYSTEM_CANARY

HIS_COMMENT = "bobscommentcanary"
RULING_REASON = "rulingcanary"
PASSWORD = "a long enough phrase"


def compare(user, reference) -> list[Comparison]:
    """Give the user every pair of the reference."""
    pairs = list(combinations(reference.candidates.all(), 2))
    return assign_comparisons(campaign=reference.campaign, annotator=user, pairs=pairs)


@dataclass(frozen=True)
class Seen:
    """Everything that alice is shown, by address, while bob disagrees with her; and what is not."""

    pages: dict[str, str]
    of_bob: list[str]
    candidates: list[str]


@pytest.fixture(params=["open", pytest.param("taken", marks=pytest.mark.exhaustive), "ruled"])
def state(request) -> str:
    """How far an adjudicator has come with the conflict that alice's rating opens."""
    return request.param


@pytest.fixture(scope="module")
def looked_at() -> dict[str, Seen]:
    """What was seen in each state: the tests read the same pages."""
    return {}


@pytest.fixture
def seen(looked_at: dict[str, Seen], state: str, request: pytest.FixtureRequest) -> Seen:
    """Look at the state, the first time."""
    if state not in looked_at:
        request.getfixturevalue("quick_passwords")
        looked_at[state] = look(request.getfixturevalue("cast"), state)
    return looked_at[state]


@pytest.fixture
def shown(seen: Seen) -> dict[str, str]:
    return seen.pages


def adjudicate(state: str, carol: User) -> None:
    """Have carol open the conflict, and rule on it."""
    conflict = Conflict.objects.get(kind="overall_gap")
    carol.set_password(PASSWORD)
    if state in {"taken", "ruled"}:
        take_turn(conflict_id=conflict.pk, adjudicator=carol)
    if state == "ruled":
        rule(
            conflict_id=conflict.pk,
            adjudicator=carol,
            decision="scores",
            scores=dict.fromkeys(CRITERIA, 3),
            reason_code="overlooked",
            reason=RULING_REASON,
            password=PASSWORD,
        )


def look(cast, state: str) -> Seen:
    """Have alice and bob disagree, an adjudicator come so far, and alice look at everything."""
    client = Client()
    reference = cast.reference("r1", 3)
    cast.assign(cast.alice, reference)
    for row in cast.assign(cast.bob, reference):
        cast.submit(row, (0, 1, 0, 1), comment=HIS_COMMENT)
    for pair in compare(cast.bob, reference):
        judgements = dict.fromkeys(ALL_CRITERIA, 1)
        submit_preference(
            comparison_id=pair.pk, annotator=cast.bob, judgements=judgements, comment=HIS_COMMENT
        )
    compared = [f"/compare/{pair.pk}/" for pair in compare(cast.alice, reference)]
    preferred = dict.fromkeys(ALL_CRITERIA, "-1")
    hers = list(Assignment.objects.filter(annotator=cast.alice))
    client.force_login(cast.alice)
    values = dict.fromkeys(CRITERIA, "9")
    posted = client.post(f"/rate/{hers[0].pk}/", values, follow=True)
    assert Conflict.objects.exists()
    adjudicate(state, cast.carol)
    htmx = Client(headers={"HX-Request": "true"})
    htmx.force_login(cast.alice)
    token = create_token(user=cast.alice).token
    api = Client(headers={"Authorization": f"Token {token}"})
    rating = cast.alice.ratings.get()
    pages = {
        "submit": posted,
        "again": client.post(f"/rate/{hers[0].pk}/", values | {CRITERIA[0]: "1"}),
        "own": client.get(f"/rate/{hers[0].pk}/"),
        "mistake": client.post(f"/rate/{hers[1].pk}/", {}),
        "overall": client.post(f"/rate/{hers[1].pk}/overall/", values),
        "draft": client.post(f"/rate/{hers[1].pk}/draft/", values | {"draft_version": "0"}),
        "draft by script": htmx.post(f"/rate/{hers[2].pk}/draft/", values | {"draft_version": "0"}),
        "stale draft": htmx.post(f"/rate/{hers[2].pk}/draft/", values | {"draft_version": "0"}),
        "ping": client.post(f"/rate/{hers[1].pk}/ping/"),
        "reading": htmx.post(f"/rate/{hers[1].pk}/reading/", {"aid": "diff off"}),
        "tags": htmx.post(f"/rate/{hers[1].pk}/tags/", {"tag": "add vagueness"}),
        "flag": client.post(f"/rate/{hers[1].pk}/flag/", {"flag_code": "wrong-text"}, follow=True),
        "skip": client.post(
            f"/rate/{hers[2].pk}/skip/", {"leave_code": "not-now", "confirmed": "1"}, follow=True
        ),
        "skip refused": client.post(
            f"/rate/{hers[2].pk}/skip/", {"leave_code": "", "confirmed": "1"}
        ),
        "comparison": client.get(compared[0]),
        "preference": client.post(compared[0], preferred, follow=True),
        "preference again": client.post(compared[0], preferred | {ALL_CRITERIA[0]: "1"}),
        "preference mistake": client.post(compared[1], {}),
        "comparison reading": client.post(f"{compared[1]}reading/", {"aid": "diff off"}),
        "api next": api.post("/api/v1/campaigns/cups/assignments/next/"),
        "api rating": api.get(f"/api/v1/ratings/{rating.pk}/"),
        "api again": api.post("/api/v1/ratings/", {}, content_type="application/json"),
    }
    for path in ("/", "/rated/", "/rubric/", *(f"/rate/{row.pk}/" for row in hers), *compared):
        pages[path] = client.get(path)
    for path in ("campaigns/", "campaigns/cups/"):
        pages[path] = api.get(f"/api/v1/{path}")
    theirs = [
        str(row.pk)
        for model in (Assignment, Comparison)
        for row in model.objects.filter(annotator=cast.bob)
    ]
    return Seen(
        # Marks cut a claim's words into pieces: without tags they are read as they stand.
        {
            name: page.content.decode() + strip_tags(page.content.decode()) + str(page.headers)
            for name, page in pages.items()
        },
        theirs,
        [str(row.candidate_id) for row in Assignment.objects.filter(annotator=cast.alice)],
    )


def test_the_crawl_reached_claims_and_own_rating(shown) -> None:
    assert "A mug" in shown["api next"]
    assert any("A mug" in text for name, text in shown.items() if name.startswith("/rate/"))
    assert "9.00" in shown["/rated/"]
    assert "A mug" in shown["comparison"] and "Stored now" in shown["preference again"]


def test_no_system_and_no_candidate_id_is_shown(shown) -> None:
    for name, text in shown.items():
        assert SYSTEM_CANARY not in text, name
        assert CANDIDATE_CANARY not in text, name


def test_nothing_of_another_annotator_is_shown(seen) -> None:
    numerators = r"\b0\.45\b"  # bob's overall, (2*1 + 3*1) / 11
    assert seen.of_bob
    for name, text in seen.pages.items():
        assert HIS_COMMENT not in text, name
        assert not re.search(r"\bbob\b", text), name
        assert not re.search(numerators, text), name
        assert not any(pk in text for pk in seen.of_bob), name


def test_nothing_of_an_adjudication_is_shown_but_the_sentence_that_every_lock_has(
    shown, state
) -> None:
    for name, text in shown.items():
        assert RULING_REASON not in text, name
        assert not re.search(
            r"\bcarol\b|ruling|ruled|(?<!to the )adjudicat", text, re.IGNORECASE
        ), name
    assert (LOCKED_SENTENCE in unescape(shown["own"])) == (state != "open")


def test_no_conflict_is_mentioned(shown) -> None:
    for name, text in shown.items():
        # A recusal for a conflict of interest is something else, and every rate page offers it.
        assert not re.search("conflict(?! of interest)", text, re.IGNORECASE), name


def test_internal_ids_of_candidates_are_not_shown(seen) -> None:
    assert seen.candidates
    for name, text in seen.pages.items():
        assert not any(pk in text for pk in seen.candidates), name


def test_the_compare_page_does_not_reveal_which_rated_candidate_stands_where(shown) -> None:
    for name, text in shown.items():
        if name.startswith(("compari", "/compare/", "preference again", "preference mistake")):
            assert not re.search(r"Candidate \d", text), name
            assert "/rate/" not in text, name
