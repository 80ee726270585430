"""The language of a claim set, the words it is cut into, and what its claims cite."""
# ruff: noqa: RUF001

import pytest

from core.claim_text import parse_claims
from core.languages import UNKNOWN, language_of, pair_language, words
from tests.claims_in_languages import ALL, CHINESE, ENGLISH, GERMAN, JAPANESE

CHINESE_TEXT, JAPANESE_TEXT = CHINESE[0].text, JAPANESE[0].text
ENGLISH_TEXT, GERMAN_TEXT = ENGLISH[0].text, GERMAN[0].text


@pytest.mark.parametrize("claims", ALL)
def test_the_record_names_the_language_and_else_the_script_does(claims):
    assert language_of(claims.text, claims.language) == claims.language
    by_script = claims.language if claims.language in ("zh", "ja") else ""
    assert language_of(claims.text) == by_script


@pytest.mark.parametrize(
    ("recorded", "language"),
    [
        ("de", "de"),
        ("DE-AT", "de"),
        ("ger", "de"),
        ("German", "de"),
        ("fr_CH", "fr"),
        ("en-US", "en"),
        ("mul", ""),
        (" sv ", "sv"),
    ],
)
def test_a_record_may_write_its_language_in_any_usual_way(recorded, language):
    assert language_of(GERMAN_TEXT, recorded) == language


@pytest.mark.parametrize(("recorded", "text"), [("cn", 0), ("zh-Hant", 2), ("Chinese", 1)])
def test_a_record_may_write_chinese_in_any_usual_way(recorded, text):
    assert language_of(CHINESE[text].text, recorded) == "zh"


@pytest.mark.parametrize(
    ("text", "recorded", "language"),
    [
        (CHINESE_TEXT, "en", "zh"),
        (JAPANESE_TEXT, "zh", "ja"),
        (ENGLISH_TEXT, "zh", ""),
        ("1. 連接器。", "ja", "ja"),
        ("1. 連接器。", "", "zh"),
        ("1. Насос с ротором.", "en", UNKNOWN),
        ("1. Насос с ротором.", "ru", "ru"),
        ("1. 회전자를 포함하는 펌프.", "", "ko"),
        ("1. ปั๊มที่มีโรเตอร์", "", "th"),
        ("1. - 2", "ja", "ja"),
        ("", "", ""),
    ],
)
def test_a_script_that_the_recorded_language_has_not_decides(text, recorded, language):
    assert language_of(text, recorded) == language


def test_a_few_signs_of_another_script_change_no_language():
    assert language_of(f"{ENGLISH_TEXT} The pump (ポンプ 泵) has a gain of 20 µΩ.") == ""
    names = "polytetrafluoroethylene、polyvinylidene fluoride、ethylene tetrafluoroethylene"
    names += "、perfluoroalkoxy alkane、fluorinated ethylene propylene"
    latin = f"所述轴涂有 {names}，由 SKF 6204-2RS 支撑。"
    # More letters than ideographs, and fewer words.
    assert language_of(CHINESE_TEXT + latin) == "zh"


def test_two_texts_in_two_scripts_have_no_language_in_common():
    assert pair_language(CHINESE_TEXT, CHINESE[1].text) == "zh"
    assert pair_language(CHINESE_TEXT, ENGLISH_TEXT, "zh") is None
    assert pair_language(ENGLISH_TEXT, JAPANESE_TEXT, "en") is None
    assert pair_language(GERMAN_TEXT, ENGLISH_TEXT, "de") == "de"


def test_a_text_without_letters_goes_with_the_other():
    assert pair_language(CHINESE_TEXT, "1.", "zh") == "zh"
    assert pair_language("1.", CHINESE_TEXT) == "zh"
    assert pair_language(ENGLISH_TEXT, "…") == ""


def test_words_are_runs_of_letters_and_digits_and_single_characters_where_no_blanks_are():
    assert words("Das Gehäuse (12) wiegt 2,5 kg.") == [
        "das",
        "gehäuse",
        "12",
        "wiegt",
        "2",
        "5",
        "kg",
    ]
    assert words("由CO2制成的泵。") == ["由", "co2", "制", "成", "的", "泵"]
    assert words("請求項１のポンプ") == [*"請求項", "1", *"のポンプ"]


@pytest.mark.parametrize("claims", ALL)
def test_claims_and_what_they_cite_are_read_in_each_language(claims):
    found = {claim.number: claim.depends_on for claim in parse_claims(claims.text)}
    assert found == claims.parents
