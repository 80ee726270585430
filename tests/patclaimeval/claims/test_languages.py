"""The language of a claim set, the words it is cut into, and what its claims cite."""
# ruff: noqa: RUF001

import pytest

from patclaimeval.claims.languages import (
    UNKNOWN,
    is_other,
    language_note,
    language_of,
    pair_language,
    words,
)
from patclaimeval.claims.parsing import parse_claims
from tests.claims_in_languages import ALL, CHINESE, ENGLISH, GERMAN, JAPANESE

CHINESE_TEXT, JAPANESE_TEXT = CHINESE[0].text, JAPANESE[0].text
ENGLISH_TEXT, GERMAN_TEXT = ENGLISH[0].text, GERMAN[0].text


@pytest.mark.parametrize("claims", ALL)
def test_the_record_names_the_language_and_else_the_text_does(claims):
    assert language_of(claims.text, claims.language) == claims.language
    assert language_of(claims.text) == claims.language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("1. Eine Pumpe mit einem Gehäuse und einem Rotor.", "de"),
        ("1. Eine Pumpe mit einem Rotor und mit einer Welle.", "de"),
        ("1. Pompe comprenant un corps et un rotor selon la revendication 2.", "fr"),
        ("1. Bomba que comprende una carcasa y un rotor, según la reivindicación 1.", "es"),
        ("1. Pompa comprendente un corpo e un rotore secondo la rivendicazione 1.", "it"),
        ("1. Bomba compreendendo um corpo e um rotor de acordo com a reivindicação 1.", "pt"),
        ("1. Pomp omvattende een behuizing en een rotor, volgens conclusie 1.", "nl"),
        # Words of another language do not lead a text away from its own.
        ("1. A die holder comprising a die, wherein the die is held in the die shoe.", "en"),
        ("1. The method of claim 1, wherein the des-, la- and un-isomers are mixed.", "en"),
        # Too short to tell, or in a language of no list.
        ("1. A pump.", ""),
        ("Pumpe", ""),
        ("1. Pompa zawierająca obudowę i wirnik, w której wirnik jest osadzony na wale.", ""),
        ("1. Насос с ротором и корпусом.", UNKNOWN),
    ],
)
def test_function_words_tell_the_language_of_a_text_without_a_record(text, language):
    assert language_of(text) == language


def test_the_record_wins_over_the_words_and_the_contradiction_is_said():
    assert language_of(GERMAN_TEXT, "en") == "en"
    assert language_note(GERMAN_TEXT, "en") == (
        "The record says English, but the text looks like German. It is read as English."
    )
    assert is_other(GERMAN_TEXT, "en")
    assert not is_other(GERMAN_TEXT, "de-AT")
    assert not is_other(GERMAN_TEXT, "")
    # Few words contradict nothing.
    assert not is_other("1. A pump.", "de")


@pytest.mark.parametrize(
    ("text", "recorded", "note"),
    [
        (ENGLISH_TEXT, "", ""),
        (ENGLISH_TEXT, "en", ""),
        (GERMAN_TEXT, "German", ""),
        (GERMAN_TEXT, "", "No language is recorded. By its words it is read as German."),
        (CHINESE_TEXT, "en", "looks like Chinese. It is read as Chinese."),
        ("1. A pump.", "", "the words do not tell it. It is read as English."),
        ("1. 2.", "", ""),
    ],
)
def test_a_note_says_how_the_language_was_found_where_a_reader_should_know(text, recorded, note):
    assert language_note(text, recorded).endswith(note)
    assert bool(language_note(text, recorded)) is bool(note)


def test_a_short_text_is_in_the_language_of_the_text_beside_it():
    assert pair_language(GERMAN_TEXT, "1. Pumpe.") == "de"
    assert pair_language("1. Pumpe.", GERMAN_TEXT) == "de"
    assert pair_language(GERMAN_TEXT, ENGLISH_TEXT) is None
    assert pair_language("1. Pumpe.", "1. Ventil.") == ""


@pytest.mark.parametrize(
    ("recorded", "language"),
    [
        ("de", "de"),
        ("DE-AT", "de"),
        ("ger", "de"),
        ("German", "de"),
        ("fr_CH", "fr"),
        ("en-US", "en"),
        ("mul", "de"),
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
        (ENGLISH_TEXT, "zh", "en"),
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
    assert language_of(f"{ENGLISH_TEXT} The pump (ポンプ 泵) has a gain of 20 µΩ.") == "en"
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
    assert pair_language(ENGLISH_TEXT, "…") == "en"


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
