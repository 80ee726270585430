"""Metrics read claims in five languages, and say which they do not read."""

import json
from pathlib import Path

import pytest

from patclaimeval.metrics.alignscore import AlignScore
from patclaimeval.metrics.base import Metric, MetricUnavailable, Missing, Pair, Score
from patclaimeval.metrics.baselines import ClaimCount, Length
from patclaimeval.metrics.bleu import Bleu
from patclaimeval.metrics.languages import TWO_LANGUAGES, version_in
from patclaimeval.metrics.meteor import Meteor
from patclaimeval.metrics.ngram import NGRAM
from patclaimeval.metrics.registry import get_metric
from patclaimeval.metrics.rouge import Rouge
from patclaimeval.metrics.simcse import SimCse
from tests.claims_in_languages import ALL, CHINESE, ENGLISH, FRENCH, GERMAN, JAPANESE, ClaimSet
from tests.patclaimeval.metrics.conftest import own_copy

THAI = "1. ปั๊มที่มีโรเตอร์และเพลา"
ROUGE_L = Rouge("l")


def number(score: Score) -> float:
    assert isinstance(score, float), score
    return score


def one(metric: Metric, reference: str, candidate: str, language: str = "") -> float:
    (score,) = metric.score([Pair(reference, candidate, reference, language)])
    return number(score)


@pytest.mark.parametrize("name", [*NGRAM, "sari"])
@pytest.mark.parametrize("claims", ALL)
def test_each_damage_lowers_each_metric_in_each_language(name: str, claims: ClaimSet) -> None:
    metric = get_metric(name)
    texts = [claims.text, *(claims.damaged(place) for place in range(3))]
    # Against a draft that holds none of it, SARI rewards what was added as it should be.
    draft = "-" if name == "sari" else None
    scores = metric.score([Pair(claims.text, text, draft, claims.language) for text in texts])
    equal, *damaged = map(number, scores)
    assert all(score < equal for score in damaged)


@pytest.mark.parametrize("name", [*NGRAM, "sari"])
@pytest.mark.parametrize("claims", [*CHINESE, *JAPANESE])
def test_a_script_without_blanks_is_read_without_a_record_as_with_one(
    name: str, claims: ClaimSet
) -> None:
    metric = get_metric(name)
    recorded, plain = (
        metric.score([Pair(claims.text, claims.damaged(0), "", language)])
        for language in (claims.language, "")
    )
    assert recorded == plain


def test_an_exchanged_material_costs_one_character_of_five() -> None:
    steel, copper = "泵由钢制", "泵由铜制"
    for language in ("zh", "ja"):
        assert one(Rouge("1"), steel, copper, language) == pytest.approx(3 / 4)
        assert one(Rouge("2"), steel, copper, language) == pytest.approx(1 / 3)
        assert one(ROUGE_L, steel, copper, language) == pytest.approx(3 / 4)
        assert one(Bleu(1), steel, copper, language) == pytest.approx(3 / 4)
        # P = R = F = 3/4 in two chunks of three matches: 3/4 (1 - (2/3)^3 / 2).
        assert one(Meteor(), steel, copper, language) == pytest.approx(0.75 * (1 - 4 / 27))


def test_latin_words_and_numbers_among_characters_stay_whole() -> None:
    assert one(Rouge("1"), "由SiO2制成", "由SiC制成", "zh") == pytest.approx(3 / 4)
    assert one(Rouge("1"), "厚さ２０ｎｍ", "厚さ20nm", "ja") == 1.0
    assert one(Bleu(1), "由SiO2制成", "由SiC制成", "zh") == pytest.approx(3 / 4)


def test_letters_with_marks_are_letters_where_the_record_names_a_language() -> None:
    assert one(ROUGE_L, "Gehäuse", "Gehöuse", "de") == 0.0
    # Without a record Latin letters are read as the package reads English: geh, use.
    assert one(ROUGE_L, "Gehäuse", "Gehöuse") == 1.0
    # A text that tells its language needs no record.
    given, other = (
        f"1. Ein {name} mit einem Rotor und einer Welle." for name in ("Gehäuse", "Gehöuse")
    )
    assert one(ROUGE_L, given, other) == one(ROUGE_L, given, other, "de") < 1.0
    assert one(ROUGE_L, given, other, "en") == 1.0
    assert one(ROUGE_L, "rotor en céramique", "rotor en cèramique", "fr") == pytest.approx(2 / 3)


def test_words_are_stemmed_by_the_rules_of_their_language() -> None:
    assert one(Meteor(), "die gelagerten Wellen", "die gelagerte Welle", "de") > 0.9
    assert one(Meteor(), "les arbres supportés", "les arbres supporté", "fr") > 0.9
    # No rules of another language are tried.
    assert one(Meteor(), "los ejes", "los eje", "es") < 0.6


@pytest.mark.parametrize("name", [*NGRAM, "sari"])
def test_a_language_that_is_not_read_and_two_languages_give_a_reason(name: str) -> None:
    metric = get_metric(name)
    pairs = [
        Pair(THAI, THAI, THAI),
        Pair(CHINESE[0].text, ENGLISH[0].text, "", "zh"),
        Pair(ENGLISH[0].text, ENGLISH[0].text, "-", "en"),
        Pair(CHINESE[0].text, CHINESE[0].text, "-"),
    ]
    unread, mixed, english, chinese = metric.score(pairs)
    assert unread == Missing(f"{name} does not read Thai.")
    assert mixed == Missing(TWO_LANGUAGES)
    assert number(english) == pytest.approx(number(chinese), abs=1e-5)
    assert number(english) > 0.3


@pytest.mark.parametrize("claims", [*GERMAN, *FRENCH])
def test_defects_are_not_counted_in_a_language_that_they_are_not_read_in(claims: ClaimSet) -> None:
    name = {"de": "German", "fr": "French"}[claims.language]
    metric = get_metric("defects")
    for record in ("", claims.language):
        (score,) = metric.score([Pair(claims.text, claims.damaged(0), language=record)])
        assert score == Missing(f"defects does not read {name}.")
    (score,) = metric.score([Pair(claims.text, claims.damaged(0), language="en")])
    assert isinstance(score, float)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("1. Bomba que comprende una carcasa y un rotor, según la reivindicación 2.", "Spanish"),
        ("1. Насос, содержащий корпус и ротор.", "an unknown language"),  # noqa: RUF001
    ],
)
def test_a_language_of_no_rules_is_named_instead_of_read_as_english(text: str, name: str) -> None:
    assert get_metric("defects").score([Pair(text, text)]) == [
        Missing(f"defects does not read {name}.")
    ]


@pytest.mark.parametrize("name", [*NGRAM, "sari", "length", "claim-count"])
def test_the_version_names_how_other_languages_are_cut_and_stays_that_of_english(name: str) -> None:
    metric = get_metric(name)
    assert version_in(metric, ["", "en"]) == metric.version
    versions = {language: version_in(metric, [language]) for language in ("zh", "ja")}
    for language, version in versions.items():
        assert version.startswith(f"{metric.version}; {language}: ")
    assert len(version_in(metric, ["zh", "en", "ja", "zh"])) > max(map(len, versions.values()))


def test_the_version_holds_a_digest_of_the_tokenizer() -> None:
    chinese, japanese = (Bleu(4).reading(language) for language in ("zh", "ja"))
    assert chinese is not None
    assert japanese is not None
    assert chinese.rsplit(" ", 1)[0] == "sacrebleu zh tokens"
    assert japanese.rsplit(" ", 1)[0] == "sacrebleu char tokens"
    digests = {chinese.rsplit(" ", 1)[1], japanese.rsplit(" ", 1)[1]}
    assert len(digests) == 2
    assert all(len(digest) == 12 and int(digest, 16) for digest in digests)


def test_german_bleu_is_the_same_metric_as_english_bleu() -> None:
    assert [Bleu(4).reading(language) for language in ("", "en", "de", "fr", "ko")] == [""] * 5


def test_baselines_count_characters_and_claims() -> None:
    assert Length().score([Pair("", "1. 一种泵。"), Pair("", "1. A pump.")]) == [4.0, 3.0]
    counts = ClaimCount().score([Pair("", claims.text) for claims in ALL])
    assert counts == [float(len(claims.parents)) for claims in ALL]


def with_languages(source: Path, target: Path, languages: object) -> Path:
    directory = own_copy(source, target)
    (directory / "metric.json").write_text(json.dumps({"languages": languages}))
    return directory


def test_weights_read_english_unless_their_settings_name_other_languages(
    bert_directory: Path, tmp_path: Path
) -> None:
    pairs = [
        Pair(ENGLISH[0].text, ENGLISH[1].text),
        Pair(ENGLISH[0].text, ENGLISH[1].text, language="de"),
        Pair(CHINESE[0].text, CHINESE[1].text),
    ]
    scores = SimCse(own_copy(bert_directory, tmp_path / "one" / "simcse")).score(pairs)
    assert isinstance(scores[0], float)
    assert scores[1] == Missing("simcse does not read German.")
    assert scores[2] == Missing("simcse does not read Chinese.")
    multilingual = with_languages(bert_directory, tmp_path / "simcse", ["zh", "de"])
    without_english = SimCse(multilingual).score(pairs)
    assert without_english[0] == Missing("simcse does not read English.")
    assert all(isinstance(score, float) for score in without_english[1:])


@pytest.mark.parametrize("languages", ["zh", [], [1]])
def test_languages_of_weights_are_a_list_of_codes(
    bert_directory: Path, tmp_path: Path, languages: object
) -> None:
    directory = with_languages(bert_directory, tmp_path / "simcse", languages)
    with pytest.raises(MetricUnavailable, match="languages must be a list of codes"):
        SimCse(directory)


def test_sentences_are_not_cut_in_chinese_whatever_the_weights(
    align_directory: Path, tmp_path: Path
) -> None:
    directory = with_languages(align_directory, tmp_path / "alignscore", ["en", "zh"])
    with pytest.raises(MetricUnavailable, match="alignscore cannot read Chinese"):
        AlignScore(directory)
