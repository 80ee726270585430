"""In which language a claim set is written, and the words or characters that it is cut into."""

import hashlib
import re
import unicodedata
from collections import Counter
from functools import lru_cache
from typing import Final

NAMES: Final = {
    "en": "English",
    "de": "German",
    "fr": "French",
    "zh": "Chinese",
    "ja": "Japanese",
    "ko": "Korean",
    "th": "Thai",
    "lo": "Lao",
    "my": "Burmese",
    "km": "Khmer",
    "el": "Greek",
    "he": "Hebrew",
    "ru": "Russian",
    "es": "Spanish",
    "it": "Italian",
    "pt": "Portuguese",
    "nl": "Dutch",
}
LATIN: Final = ""
"""Latin letters, and no record of the language: read as English."""
UNKNOWN: Final = "und"
"""A script of none of the languages above."""
_SPACELESS: Final = frozenset({"zh", "ja", "th", "lo", "my", "km"})
# A record names the language, a country where it is spoken, or the language in full.
_OTHER_NAMES: Final = {
    **{name.lower(): code for code, name in NAMES.items()},
    **dict.fromkeys(("cn", "chi", "zho", "cmn", "yue"), "zh"),
    **dict.fromkeys(("jp", "jpn"), "ja"),
    **dict.fromkeys(("deu", "ger", "deutsch"), "de"),
    **dict.fromkeys(("fra", "fre", "fran\u00e7ais", "francais"), "fr"),
    "eng": "en",
    "kr": "ko",
    "kor": "ko",
    **dict.fromkeys(("und", "mul", "mis", "zxx"), ""),
}
_LATIN_ONLY: Final = frozenset({"en", "de", "fr", "es", "it", "pt", "nl"})
_NEVER_LATIN: Final = _SPACELESS | {"ko", "el", "he", "ru"}
_HAN: Final = "han"
_SCRIPTS: Final = {
    "LATIN": LATIN,
    "FULLWIDTH": LATIN,
    "CJK": _HAN,
    "IDEOGRAPHIC": _HAN,
    "HANGUL": "ko",
    **dict.fromkeys(("HIRAGANA", "KATAKANA", "HALFWIDTH"), "ja"),
    "THAI": "th",
    "LAO": "lo",
    "MYANMAR": "my",
    "KHMER": "km",
    "GREEK": "el",
    "HEBREW": "he",
}
# A character of a script without blanks weighs as much as a word of another, of some five letters.
_LETTERS_A_WORD: Final = 5
# Claims in Japanese are half kana; those in Chinese have them in a name at most.
_LEAST_KANA: Final = 0.1


def language_of(text: str, recorded: str = "") -> str:
    """Return the language of a claim set: a code of NAMES, what was recorded, LATIN or UNKNOWN.

    Inputs: a text; what its record names as its language, in any usual spelling ("zh-CN", "jp",
    "German"), "" without a record. The record decides where the script of most of the text can be
    that language's, else the script: a record may be a mistake, and rules for Latin words find
    nothing in Chinese. Latin letters without a record are LATIN, for the script does not tell
    English from German. A text without letters is in the language recorded.
    """
    code = _code(recorded)
    script = _script(text)
    if script is None or script == LATIN:
        return LATIN if script == LATIN and code in _NEVER_LATIN else code
    if script == _HAN:
        return code if code in ("zh", "ja") else "zh"
    if script == UNKNOWN and code and code not in _LATIN_ONLY | _SPACELESS:
        return code
    return script


def is_other(language: str, recorded: str) -> bool:
    """Return whether a record names another language than the one that a text is in."""
    code = _code(recorded)
    return bool(code) and language != code


def pair_language(reference: str, candidate: str, recorded: str = "") -> str | None:
    """Return the language of two texts that are compared; None where they have two."""
    language = language_of(reference, recorded)
    if reference.isascii() and candidate.isascii():
        return language
    if _script(reference) is None:
        return language_of(candidate, recorded)
    same = _script(candidate) is None or language_of(candidate, recorded) == language
    return language if same else None


def language_name(code: str) -> str:
    """Return what to call a language on a page."""
    if code in (LATIN, UNKNOWN):
        return "a language that is not recorded" if code == LATIN else "an unknown language"
    return NAMES.get(code, code)


def is_read_as_english(code: str) -> bool:
    """Return whether rules for English words read a language: English, or Latin by default."""
    return code in (LATIN, "en")


def is_spaceless(code: str) -> bool:
    """Return whether a language writes no blanks between words, so that characters are counted."""
    return code in _SPACELESS


def _code(recorded: str) -> str:
    name = recorded.strip().lower()
    code = re.split("[-_ ]", name, maxsplit=1)[0]
    return _OTHER_NAMES.get(name, _OTHER_NAMES.get(code, code))


def _script(text: str) -> str | None:
    """Return the script of most of a text, as a language where it is written in no other."""
    if text.isascii():
        return LATIN if any(map(str.isalpha, text)) else None
    counts = Counter[str]()
    for char, count in Counter(text).items():
        if char.isalpha():
            counts[_script_of(char)] += count
    if not counts:
        return None
    kana = counts.pop("ja", 0)
    counts[_HAN] += kana

    def weight(script: str) -> float:
        per_word = 1 if script == _HAN or script in _SPACELESS else _LETTERS_A_WORD
        return counts[script] / per_word

    script = max(counts, key=weight)
    return "ja" if script == _HAN and kana > _LEAST_KANA * counts[_HAN] else script


@lru_cache(maxsize=16_384)
def _script_of(char: str) -> str:
    return _SCRIPTS.get(re.split("[ -]", unicodedata.name(char, ""))[0], UNKNOWN)


UNSPACED: Final = (
    r"\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
    r"\U00020000-\U0003ffff"
    r"\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff"
)
"""Characters of scripts that write no blanks, for a class of a pattern: ideographs, kana, Thai,
Lao, Burmese, Khmer."""
_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
_WORD: Final = re.compile(rf"[{UNSPACED}]|[^\W_{UNSPACED}]+")
# Letters, digits and signs of ASCII as wide as an ideograph.
_WIDE: Final = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)}
RULE: Final = hashlib.sha256(f"{_WORD.pattern} {_WIDE}".encode()).hexdigest()[:12]
"""Changes with the rule by which `words` cuts."""


def has_unspaced(text: str) -> bool:
    """Return whether a text holds a character of a script that writes no blanks."""
    return not text.isascii() and _UNSPACED.search(text) is not None


def count_unspaced(text: str) -> int:
    """Return how many characters of scripts that write no blanks a text holds."""
    return 0 if text.isascii() else len(_UNSPACED.findall(text))


def count_words(text: str) -> int:
    """Return how long a text is: words between blanks, or characters where it has no blanks."""
    return len(words(text)) if is_spaceless(language_of(text)) else len(text.split())


def narrow(text: str) -> str:
    """Return a text with wide letters and digits in their usual form, as it mixes both.

    Of texts with characters of a script without blanks only; others stay as they are.
    """
    return text.translate(_WIDE) if has_unspaced(text) else text


def words(text: str) -> list[str]:
    """Return the lower-case words of a text in order: runs of letters and digits of any script.

    In scripts without blanks each character is a word. Wide letters and digits are the usual ones.
    """
    return _WORD.findall(narrow(text).lower())
