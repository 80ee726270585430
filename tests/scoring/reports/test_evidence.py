"""What a report knows of ratings, annotators, systems and leaks, from a campaign that was rated."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotator.models import Campaign, Candidate, Rating, Reference
from patclaimeval.agreement.ceiling import NO_RATINGS
from patclaimeval.metrics.languages import TWO_LANGUAGES
from patclaimeval.metrics.rouge import Rouge
from scoring.models import DatasetVersion, MetricScore
from scoring.reports.inputs import (
    NO_LANGUAGE,
    NO_SYSTEMS,
    SYSTEMS_HIDDEN,
    drafts_of,
    evidence_of,
    report_ratings,
    report_rows,
)
from scoring.reports.page_parts import cautions
from scoring.reports.work import ONLY_ADMINS
from tests.claims_in_languages import CHINESE, JAPANESE
from tests.conftest import grant, make_user, spread
from tests.scoring.asked_reports import CRITERION, carried_out, finished, request
from tests.scoring.conftest import RatedCampaign

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture
def scene(rated: Callable[..., RatedCampaign]) -> RatedCampaign:
    """Eight references of three candidates; alice and bob agree on no pair of the last one."""
    scene: RatedCampaign = rated(8).rate_all(range(7))
    for number, hers, his in ((1, 6, 5), (2, 5, 5), (3, 5, 6)):
        scene.rate("alice", 7, number, hers, 5, 5, 5)
        scene.rate("bob", 7, number, his, 5, 5, 5)
    return scene


@pytest.fixture
def frozen(scene: RatedCampaign) -> DatasetVersion:
    return scene.freeze(include_unlocked=True)


def evidence(version: DatasetVersion, *, has_systems: bool = False) -> Any:
    read = report_rows(version, CRITERION, "all")
    return evidence_of(version, CRITERION, read, ["length"], has_systems=has_systems)


def test_points_are_the_settled_ratings_of_each_candidate(frozen) -> None:
    points = evidence(frozen).points
    assert len(points) == 24
    assert points["1. A cup number 0.", "1. A mug 0 1."] == 9.0
    assert points["1. A cup number 7.", "1. A mug 7 1."] == 5.5


def test_each_pair_of_candidates_is_judged_once_by_each_annotator(frozen) -> None:
    found = evidence(frozen).overlap
    assert found is not None
    assert len(found.b) == 24
    assert len(found.value) == 48
    assert set(found.annotator.tolist()) == {1, 2}
    assert len(set(found.cluster.tolist())) == 8


def test_per_annotator_rows_do_not_repeat_a_pair(scene) -> None:
    version = scene.freeze(include_unlocked=True, policy="per-annotator")
    assert version.items == 48
    found = evidence(version).overlap
    assert found is not None
    assert len(found.b) == 24


def test_overall_points_are_on_the_scale_of_the_rubric(frozen) -> None:
    ratings = report_ratings(frozen, "overall_quality", set())
    assert ratings.unit == 11
    assert ratings.settled["r0", "c1"] == 9.0
    assert ratings.given["r0", "c1"] == {1: 99, 2: 99}


def test_a_rating_that_was_revised_after_the_freeze_is_left_out(frozen) -> None:
    one = Rating.objects.filter(candidate__reference__reference_id="r0").first()
    assert one is not None
    Rating.objects.filter(pk=one.pk).update(revised_at=timezone.now() + timedelta(hours=1))
    assert report_ratings(frozen, CRITERION, set()).left_out == 1
    assert evidence(frozen).checks["revised_ratings"] == 1


def test_the_report_of_a_rated_campaign_has_a_ceiling_and_a_scatter_of_ratings(frozen) -> None:
    result = finished(frozen, "length", split="all")
    ceiling = result["human_ceiling"]
    # Of 24 pairs they agree on all but the three of the last reference.
    assert (ceiling["n"], ceiling["annotators"], ceiling["references"]) == (24, 2, 8)
    assert ceiling["accuracy"]["value"] == pytest.approx(21 / 24)
    assert ceiling["per_annotator"] == []  # two are not told apart
    assert result["scatter"]["length"]["kind"] == "ratings"
    assert result["scatter"]["length"]["n"] == 24
    assert result["checks"]["annotators"] == 2
    assert result["checks"]["transitivity"] == {"triads": 8, "violations": 0}


def test_systems_are_hidden_until_the_campaign_closes(frozen) -> None:
    Candidate.objects.filter(candidate_id="c1").update(system="gpt-4")
    Candidate.objects.filter(candidate_id="c2").update(system="llama")
    hidden = finished(frozen, "length", split="all")
    assert hidden["breakdowns"]["system"] == {"reason": SYSTEMS_HIDDEN, "groups": []}
    assert "gpt-4" not in str(hidden)
    Campaign.objects.update(status="closed")
    frozen = DatasetVersion.objects.get()
    shown = finished(frozen, "length", split="all")
    groups = shown["breakdowns"]["system"]["groups"]
    assert [(group["group"], group["n"]) for group in groups] == [
        *(("gpt-4", 16), ("llama", 16), ("not known", 16))
    ]


def test_unknown_systems_and_languages_are_said_in_words(frozen, version) -> None:
    assert evidence(frozen, has_systems=True).groups["system"] == NO_SYSTEMS
    found = evidence(version)
    assert found.groups["system"] == NO_SYSTEMS
    assert found.groups["language"] == NO_LANGUAGE
    assert (found.overlap, found.no_overlap, found.points) == (None, NO_RATINGS, {})


def test_ipc_sections_and_languages_come_from_the_rows(scene) -> None:
    Reference.objects.filter(reference_id="r0").update(ipc="g06F 11/36", language="de")
    Reference.objects.filter(reference_id="r1").update(ipc="?", language="en")
    groups = evidence(scene.freeze(include_unlocked=True)).groups
    (sections,) = groups["ipc"]
    assert (sections.count("G"), sections.count("")) == (3, 21)
    (languages,) = groups["language"]
    assert languages.count("de") == 3


def test_items_are_counted_by_the_language_of_their_texts(scene) -> None:
    chinese, german, latin = (
        Reference.objects.filter(reference_id=f"r{number}") for number in range(3)
    )
    chinese.update(claims=CHINESE[0].text, language="en")
    Candidate.objects.filter(reference__in=chinese).update(claims=CHINESE[1].text)
    german.update(language="de-DE")
    latin.update(language="")
    Candidate.objects.filter(reference__in=latin, candidate_id="c1").update(claims=CHINESE[2].text)
    found = evidence(scene.freeze(include_unlocked=True))
    assert found.checks["languages"] == {
        "items": {"en": 15, "zh": 3, "de": 3, "": 3},
        "two_scripts": 2,
        "unrecorded": 3,
        "otherwise": 3,
    }
    (languages,) = found.groups["language"]
    assert {name: languages.count(name) for name in languages} == {
        "en": 15,
        "zh": 3,
        "de": 3,
        "": 3,
    }


def test_a_report_on_several_languages_scores_each_and_says_what_was_not_read(scene) -> None:
    for number, claims in enumerate((*CHINESE[:2], *JAPANESE[:2])):
        rows = Reference.objects.filter(reference_id=f"r{number}")
        rows.update(claims=claims.text, language="")
        for place in range(3):
            own = Candidate.objects.filter(reference__in=rows, candidate_id=f"c{place + 1}")
            assert own.update(claims=claims.damaged(place))
    other = Candidate.objects.filter(reference__reference_id="r7", candidate_id="c1")
    other.update(claims=CHINESE[0].text)
    Reference.objects.filter(reference_id="r4").update(language="de")
    version = scene.freeze(include_unlocked=True)
    result = finished(version, "rouge-l", "patclaimeval-0", split="all")
    assert result["checks"]["languages"]["items"] == {"en": 9, "zh": 6, "ja": 6, "de": 3}
    english, *others = result["scorers"]["rouge-l"]["version"].split("; ")
    assert english == Rouge("l").version
    cuts = ["de: words of any letters", "ja: characters", "zh: characters"]
    assert [other.rsplit(" ", 1)[0] for other in others] == cuts
    # Each language has stored its scores by its own rule.
    keys = [f"rouge-l {english}", *(f"rouge-l {english}; {other}" for other in others)]
    counts = [MetricScore.objects.filter(scorer=key).count() for key in keys]
    assert counts == [9 - 1, 3, 6, 6]
    assert result["dropped"]["items"] == 2
    for name in ("rouge-l", "patclaimeval-0"):
        assert result["dropped"]["scorers"][name]["reasons"] == {TWO_LANGUAGES: 2}
    sentences = " ".join(cautions(result))
    assert "9 in English, 6 in Chinese, 6 in Japanese, 3 in German" in sentences
    assert "could not read 2 items for their language" in sentences


def test_drafts_are_found_by_the_text_of_their_reference(frozen, version) -> None:
    Reference.objects.filter(reference_id="r0").update(draft_claims="1. A draft.")
    assert list(drafts_of(frozen).values()) == ["1. A draft."]
    assert drafts_of(version) == {}


def made_admin(scene: RatedCampaign, name: str) -> None:
    scene.campaign.memberships.create(user=scene.people[name], role="admin")


def checked(result: dict[str, Any]) -> tuple[int, int, dict[str, Any]]:
    """Return how many items and annotators a report rests on, and what is told of admins."""
    checks = result["checks"]
    return checks["items"], checks["annotators"], checks["by_admins"]


def test_what_an_admin_rated_is_left_out_and_counted_only_where_it_is_asked_for(scene) -> None:
    scene.people["ada"] = grant(make_user("ada"), scene.campaign, "annotator")
    spread(scene.campaign, 3)
    scene.rate("ada", 0, 1, 9, 9, 9, 9)
    frozen = scene.freeze(include_unlocked=True)
    everything = finished(frozen, "length")
    assert checked(everything) == (24, 3, {"items": 0, "counted": False})
    made_admin(scene, "ada")
    without = finished(frozen, "length")
    # Of the three comparisons of r0, the two that hold c1.
    assert checked(without) == (22, 2, {"items": 2, "counted": False})
    assert "admins:" not in without["signature"]
    (told,) = (one for one in cautions(without) if "administers" in one)
    assert told.startswith("2 items are left out")
    counted = finished(frozen, "length", admins_counted=True)
    assert checked(counted)[:2] == (24, 3)
    assert counted["question"]["admins_counted"]
    assert "|admins:counted|" in counted["signature"]
    assert any("2 items rest on ratings" in one for one in cautions(counted))


def test_a_report_of_nothing_but_ratings_of_admins_says_so(scene, frozen) -> None:
    made_admin(scene, "alice")
    row = carried_out(request(frozen, "length"))
    assert (row.status, row.message) == ("failed", ONLY_ADMINS)
    assert finished(frozen, "length", admins_counted=True)["checks"]["items"] == 24
