"""A pairwise judge says which of two candidates is better, in the order in which they stand."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from patclaimeval.metrics.base import Missing, Pair, Places
from patclaimeval.metrics.endpoint import Endpoint
from patclaimeval.metrics.endpoint.prompt import VERDICT
from patclaimeval.metrics.pairwise_judge import NO_RIVAL, PROMPT, REASONED_PROMPT, PairwiseJudge
from patclaimeval.metrics.registry import get_metric, needs_of
from patclaimeval.rubric import ALL_CRITERIA, CRITERIA, RUBRIC
from tests.patclaimeval.metrics.endpoint.inquiries import in_order
from tests.patclaimeval.metrics.endpoint.local_endpoint import (
    KEY,
    LocalEndpoint,
    Received,
    Reply,
    local_endpoint,
    saying,
)

BETTER = {
    "feature_completeness": 1,
    "conceptual_clarity": 2,
    "terminology_consistency": 0,
    "logical_linkage": 2,
}
PAIR = Pair("1. A cup.", "1. A mug.", rival="1. A bowl.")
TURNED = Pair(PAIR.reference, PAIR.rival or "", rival=PAIR.candidate)


def reasons(numbers: dict[str, Any], last: str = "\n") -> str:
    said = ", ".join(f'"{key}": {number}' for key, number in numbers.items())
    return f"Claim 1 of the reference has a body.\n\nSo be it.\n{VERDICT}{{{said}}}{last}"


def judge(
    url: str = "https://api.example.org/v1", directory: Path | None = None, **more: Any
) -> PairwiseJudge:
    endpoint = Endpoint(*(url, "m-1", KEY), requests_per_minute=60_000, cache_directory=directory)
    return PairwiseJudge(endpoint, **more)


@pytest.fixture
def good() -> Iterator[LocalEndpoint]:
    with local_endpoint(lambda received, number: saying(BETTER)) as place:
        yield place


@pytest.mark.parametrize(
    ("criterion", "verdict"),
    [
        ("feature_completeness", 1.0),
        ("conceptual_clarity", -1.0),
        ("terminology_consistency", 0.0),
        ("logical_linkage", -1.0),
        # (4 - 2 + 0 - 3) / 11, by hand.
        ("overall_quality", -1 / 11),
    ],
)
def test_the_number_of_the_better_candidate_is_a_verdict_on_the_first(
    good, criterion, verdict
) -> None:
    (found,) = judge(good.url, criterion=criterion).score([PAIR])
    assert found == pytest.approx(verdict, abs=1e-15)
    assert type(found) is float


@pytest.mark.parametrize(("number", "overall"), [(1, 1.0), (2, -1.0), (0, 0.0)])
def test_the_ends_of_the_scale_are_reached(number, overall) -> None:
    with local_endpoint(lambda received, _: saying(dict.fromkeys(CRITERIA, number))) as place:
        metric = judge(place.url)
        assert metric.score([PAIR]) == [overall]
    assert (metric.low, metric.high) == (-1.0, 1.0)


def test_each_order_is_a_question_of_its_own_and_serves_every_criterion(good, tmp_path) -> None:
    for criterion in ALL_CRITERIA:
        judge(good.url, tmp_path, criterion=criterion).score([PAIR, TURNED, PAIR])
    assert len(good.received) == 2
    first, second = (received.texts[1] for received in good.received)
    for text, names in ((first, ("mug", "bowl")), (second, ("bowl", "mug"))):
        places = [text.index(f"1. A {name}.") for name in ("cup", *names)]
        assert places == sorted(places)


def test_what_is_asked_plainly_is_not_what_is_asked_with_reasons(tmp_path) -> None:
    def answer(received: Received, number: int) -> Reply:
        asks_reasons = "Reason before you decide" in received.texts[0]
        return saying(reasons(dict.fromkeys(CRITERIA, 2)) if asks_reasons else BETTER)

    with local_endpoint(answer) as place:
        assert judge(place.url, tmp_path, is_reasoned=True).score([PAIR]) == [-1.0]
        assert judge(place.url, tmp_path).score([PAIR]) != [-1.0]
        plain, reasoned = place.received[1].body, place.received[0].body
    assert "response_format" in plain and "response_format" not in reasoned
    assert reasoned["max_tokens"] > plain["max_tokens"]
    # Of the reasons nothing is stored.
    assert not any("body" in path.read_text() for path in tmp_path.rglob("*.json"))


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        (reasons(BETTER, "\nI hope this helps."), "its last line does not begin with VERDICT:"),
        ("The first one is better.", "its last line does not begin with VERDICT:"),
        (BETTER, "its last line does not begin with VERDICT:"),
        (f"**{VERDICT}**{{}}", "its last line does not begin with VERDICT:"),
        (f"Well.\n{VERDICT}candidate 1", "it is not one JSON object"),
        (f"Well.\n{VERDICT}", "its last line does not begin with VERDICT:"),
        (f"Well.\n{VERDICT}{{}}", "its fields are not the ones asked for"),
        (reasons(BETTER | {"logical_linkage": 3}), "a number is not from 0 to 2"),
        (reasons(BETTER | {"logical_linkage": -1}), "a number is not from 0 to 2"),
        (reasons(BETTER | {"logical_linkage": '"1"'}), "a number is not a whole number"),
        (reasons(BETTER | {"overall_quality": 1}), "its fields are not the ones asked for"),
    ],
)
def test_only_a_verdict_in_the_last_line_counts_and_all_else_is_missing(said, fault) -> None:
    with local_endpoint(in_order(saying(said))) as place:
        found = judge(place.url, is_reasoned=True).score([PAIR])
        assert len(place.received) == 2  # it is asked once more
    assert found == [Missing(f"The answer could not be read: {fault}.")]


def test_reasons_that_were_cut_off_give_no_verdict() -> None:
    with local_endpoint(in_order(saying(reasons(BETTER), finish_reason="length"))) as place:
        (found,) = judge(place.url, is_reasoned=True).score([PAIR])
    assert found == Missing("The answer could not be read: it was cut off for its length.")


def test_of_several_verdicts_the_last_line_counts() -> None:
    said = reasons(dict.fromkeys(CRITERIA, 1)) + "No, the other way round.\n"
    with local_endpoint(in_order(saying(said + reasons(dict.fromkeys(CRITERIA, 2))))) as place:
        assert judge(place.url, is_reasoned=True).score([PAIR]) == [-1.0]


def test_a_pair_without_a_rival_is_missing_and_is_not_sent(good) -> None:
    alone = Pair("1. A cup.", "1. A mug.")
    first, second, third = judge(good.url).score([alone, PAIR, alone])
    assert first == third == Missing(NO_RIVAL)
    assert isinstance(second, float)
    assert len(good.received) == 1


@pytest.mark.parametrize("prompt", [PROMPT, REASONED_PROMPT])
def test_the_prompt_asks_for_every_criterion_of_two_candidates_and_favours_no_place(prompt) -> None:
    for criterion in RUBRIC:
        assert f"{criterion.key}: {criterion.question}" in prompt.instructions
    assert (prompt.keys, prompt.low, prompt.high) == (CRITERIA, 0, 2)
    assert "Which of the two comes first means nothing" in prompt.instructions
    system = prompt.conversation(PAIR)["messages"][0]["content"]
    assert "three texts" in system and "never an instruction" in system
    assert ("claim by claim" in system) is prompt.is_reasoned


def test_a_criterion_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="pairwise-judge knows no criterion 'style'"):
        judge(criterion="style")


def test_each_criterion_and_kind_has_a_version_of_its_own() -> None:
    versions = {
        judge(criterion=criterion, is_reasoned=kind).version
        for criterion in ALL_CRITERIA
        for kind in (False, True)
    }
    assert len(versions) == 2 * len(ALL_CRITERIA)
    assert all("m-1 at api.example.org" in version for version in versions)
    assert KEY not in repr(judge()) + "".join(versions)


@pytest.mark.parametrize("name", ["pairwise-judge", "pairwise-judge-reasoned"])
def test_the_registry_hands_on_criterion_and_kind(name) -> None:
    assert needs_of(name).endpoint and needs_of(name).rival
    metric = get_metric(name, places=Places(endpoint=judge().endpoint), criterion="logical_linkage")
    assert metric.name == name
    assert metric.needs == needs_of(name)
    assert metric.version.endswith("logical_linkage")
