"""The default model reads claims in five languages, and what it cannot read has no part in it."""
# ruff: noqa: RUF001

from __future__ import annotations

import json
from pathlib import Path

import pytest

import patclaimeval as library
from patclaimeval.cli import main
from patclaimeval.metrics.languages import TWO_LANGUAGES
from patclaimeval.metrics.ngram import NGRAM
from patclaimeval.models.data import Quadruplet
from patclaimeval.models.errors import DataError
from patclaimeval.models.features import pair_features, read_claim_set
from patclaimeval.models.overlaps import overlap_differences
from patclaimeval.models.pair_scores import CachedScorer, ScoreCache, pair_key
from patclaimeval.models.prior import NAME, load_prior
from patclaimeval.models.scorer import load_scorer
from tests.claims_in_languages import ALL, CHINESE, ENGLISH, FRENCH, GERMAN, JAPANESE, ClaimSet
from tests.patclaimeval.models.test_score import make

MIXED = (CHINESE[0].text, ENGLISH[0].text)


@pytest.mark.parametrize("criterion", ["overall_quality", "feature_completeness"])
@pytest.mark.parametrize("claims", ALL)
def test_each_damage_lowers_the_score_in_each_language(claims: ClaimSet, criterion: str) -> None:
    texts = [claims.text, *(claims.damaged(place) for place in range(3))]
    equal, *damaged = load_prior(criterion).score([(claims.text, text) for text in texts])
    assert all(score < equal for score in damaged)


@pytest.mark.parametrize("claims", ALL)
def test_claims_are_matched_and_their_parents_kept_in_each_language(claims: ClaimSet) -> None:
    read = read_claim_set(claims.text).claims
    assert {claim.number: tuple(sorted(claim.cited)) for claim in read} == claims.parents
    assert all(len(claim.words) > 5 for claim in read)
    structure = pair_features(claims.text, claims.damaged(0))["structure"]
    assert structure["claims_matched"] == structure["parents"] == 1.0


@pytest.mark.parametrize("claims", [*GERMAN, *FRENCH])
def test_no_rule_of_english_is_used_on_a_text_that_tells_another_language(claims: ClaimSet) -> None:
    # "die" is no noun with an article here, and "about" no vague word.
    candidate = f"{claims.text}\n9. the lever, about the size of the pump"
    found = pair_features(claims.text, candidate)
    assert not any(found["antecedents"].values())
    assert not any(found["vagueness"].values())
    # A short text beside it is read as it is.
    assert not any(pair_features(claims.text, "1. the lever, about 3")["vagueness"].values())


@pytest.mark.parametrize("claims", [*CHINESE, *JAPANESE])
def test_features_of_english_words_are_nothing_in_another_script(claims: ClaimSet) -> None:
    # A label is no article, and a brand of a substance no vague word.
    candidate = claims.text + "\n9. 导管 A 和 B；The Good Thing ポンプ said。"
    found = pair_features(candidate, candidate)
    assert not any(found["antecedents"].values())
    assert not any(found["vagueness"].values())
    assert not found["terms"]["phrases_lost"]


def test_wide_digits_are_digits() -> None:
    narrow = JAPANESE[0].text.translate({0xFF10 + digit: str(digit) for digit in range(10)})
    assert narrow != JAPANESE[0].text
    assert [claim.words for claim in read_claim_set(JAPANESE[0].text).claims] == [
        claim.words for claim in read_claim_set(narrow).claims
    ]
    assert pair_features(JAPANESE[0].text, narrow)["terms"]["numbers_new"] == 0.0


def test_a_pair_in_two_scripts_is_refused_by_itself() -> None:
    model = load_prior("overall_quality")
    one, other = CachedScorer(lambda: model, "a" * 64, ScoreCache(None)).score(
        [MIXED, (GERMAN[0].text, GERMAN[1].text)]
    )
    assert (one.value, one.reason) == (None, TWO_LANGUAGES)
    assert other.value is not None


def test_the_cache_knows_by_which_rule_a_text_without_blanks_was_cut(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = [pair_key((claims.text, claims.text)) for claims in ALL]
    monkeypatch.setattr("patclaimeval.models.pair_scores.RULE", "another")
    after = [pair_key((claims.text, claims.text)) for claims in ALL]
    spaced = [claims.language not in ("zh", "ja") for claims in ALL]
    assert [one == other for one, other in zip(before, after, strict=True)] == spaced


@pytest.mark.parametrize("metric", [None, "rouge-l", "bleu-4"])
def test_the_library_reads_every_language_and_names_what_it_cannot(metric: str | None) -> None:
    for claims in ALL:
        equal, damaged = library.score(claims.text, [claims.text, claims.damaged(0)], metric=metric)
        assert damaged < equal
    with pytest.raises(DataError, match=f"Candidate 2 has no score. {TWO_LANGUAGES}"):
        library.score(CHINESE[0].text, [CHINESE[1].text, ENGLISH[0].text], metric=metric)


def test_the_command_refuses_a_pair_in_two_scripts_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in zip(("reference", "candidate"), MIXED, strict=True):
        (tmp_path / name).write_text(text, encoding="utf-8")
    asked = ["score", "-r", str(tmp_path / "reference"), "-c", str(tmp_path / "candidate")]
    assert main(asked) == 2
    assert TWO_LANGUAGES in capsys.readouterr().err


def items(better: list[str]) -> list[Quadruplet]:
    """Return for each set one comparison of a candidate with a damaged one, which is worse."""
    return [
        Quadruplet(f"reference {number}", claims.text, text, claims.damaged(0), 1 - number % 2)
        for number, (claims, text) in enumerate(zip(ALL, better, strict=True))
    ]


def test_agreement_leaves_out_what_is_not_read_and_says_why() -> None:
    better = [claims.damaged(1) for claims in ALL]
    better[-1] = ENGLISH[0].text
    report = library.agree(items(better), metrics=["rouge-l"], resamples=100)
    assert report["dropped"]["items"] == 1
    reasons = {name: found["reasons"] for name, found in report["dropped"]["scorers"].items()}
    assert reasons == {name: {TWO_LANGUAGES: 1} for name in (NAME, "rouge-l")}


def test_the_overlaps_beside_a_training_read_every_language() -> None:
    found = overlap_differences(items([claims.text for claims in ALL]))
    assert list(found) == list(NGRAM)
    assert (found["rouge-l"] > 0).all()


def test_a_fine_tuned_model_refuses_what_no_training_claim_was_in(
    tiny_bert: Path, tmp_path: Path, quadruplets: list[Quadruplet]
) -> None:
    made = make(quadruplets, tmp_path / "model", tiny_bert, "finetune")
    assert json.loads((made / "config.json").read_bytes())["chosen"]["languages"] == ["en"]
    pairs = [(CHINESE[0].text, CHINESE[1].text), MIXED, (ENGLISH[0].text, ENGLISH[1].text)]
    pairs += [(GERMAN[0].text, GERMAN[1].text), ("1. A pump.", "1. A lever.")]
    assert load_scorer(made).unread(pairs) == [
        "The model was fine-tuned on no claims in Chinese.",
        TWO_LANGUAGES,
        "",
        "The model was fine-tuned on no claims in German.",
        "",
    ]
