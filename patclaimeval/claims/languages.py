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
CODE: Final = r"[a-z]{2,3}"
"""What a person may give as a language: a code of ISO 639."""
LATIN: Final = ""
"""Latin letters of a language that neither a record nor the words tell: read as English."""
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
LATIN_ONLY: Final = frozenset({"en", "de", "fr", "es", "it", "pt", "nl"})
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
    nothing in Chinese. Latin letters without a record are in the language of their function words;
    they are LATIN where these are too few to tell. A text without letters is in the language
    recorded.
    """
    code = _code(recorded)
    script = _script(text)
    if script == LATIN:
        return code if code and code not in _NEVER_LATIN else language_by_words(text)
    if script is None:
        return code
    if script == _HAN:
        return code if code in ("zh", "ja") else "zh"
    if script == UNKNOWN and code and code not in LATIN_ONLY | _SPACELESS:
        return code
    return script


# Words that any text of a language has, and words of claims. A word of several languages counts for
# each of them.
_FUNCTION_WORDS: Final = {
    "en": "a the of and to is are with by at from that which being having wherein said comprising "
    "comprises according claim claims method further least thereof between into",
    "de": "der die das den dem des ein eine einer eines einem einen und mit von zum zur ist sind "
    "wird werden oder durch nach wobei dass dadurch gekennzeichnet anspruch umfassend vorrichtung "
    "verfahren zwischen auf",
    "fr": "le la les des du un une dans est sont et au aux par pour sur selon dont qui lequel "
    "laquelle ledit ladite comprenant revendication caract\u00e9ris\u00e9 caract\u00e9ris\u00e9e "
    "proc\u00e9d\u00e9 dispositif entre",
    "es": "el la los las un una unos unas del al y con por para seg\u00fan dicho dicha donde que "
    "reivindicaci\u00f3n comprende caracterizado procedimiento dispositivo entre est\u00e1",
    "it": "il lo la i gli un una uno del della dello dei delle al alla e con per secondo detto "
    "detta nel nella che rivendicazione comprendente caratterizzato procedimento dispositivo tra",
    "pt": "o os um uma do da dos das e com por para segundo dito dita no na que em ao "
    "reivindica\u00e7\u00e3o compreende compreendendo caracterizado processo dispositivo entre",
    "nl": "de het een van en met volgens waarbij dat op door naar voor zijn wordt ten tussen "
    "conclusie omvattende omvat inrichting werkwijze gekenmerkt tenminste",
}
_LANGUAGES_WITH: Final[dict[str, tuple[str, ...]]] = {
    word: tuple(code for code, some in _FUNCTION_WORDS.items() if word in some.split())
    for words_of_one in _FUNCTION_WORDS.values()
    for word in words_of_one.split()
}
_LATIN_WORD: Final = re.compile(r"[^\W\d_]+")
# The language of a text stands in its first lines.
_MOST_CHARACTERS: Final = 4000
_FEWEST_WORDS: Final = 3
_LEAST_SHARE: Final = 0.12
_LEAST_LEAD: Final = 1.4


@lru_cache(maxsize=2048)
def language_by_words(text: str) -> str:
    """Return the language in which a text in Latin letters has the most function words.

    Output: a code of NAMES, LATIN where the words do not tell. Formula: of the words in the first
    4,000 characters at least three, and 12 %, are function words of the language, and 1.4 times as
    many as of any other.
    """
    found = _LATIN_WORD.findall(text[:_MOST_CHARACTERS].lower())
    counts = Counter(code for word in found for code in _LANGUAGES_WITH.get(word, ()))
    (first, most), (_, next_most) = [*counts.most_common(2), (LATIN, 0), (LATIN, 0)][:2]
    is_told = most >= max(_FEWEST_WORDS, _LEAST_SHARE * len(found))
    return first if is_told and most >= _LEAST_LEAD * next_most else LATIN


def is_other(text: str, recorded: str) -> bool:
    """Return whether a record names another language than the script or the words of a text."""
    code = _code(recorded)
    if not code:
        return False
    language = language_of(text, recorded)
    told = language_by_words(text) if language in LATIN_ONLY else LATIN
    return language != code or (told != LATIN and told != code)


def languages_of_pair(reference: str, candidate: str, recorded: str = "") -> tuple[str, str]:
    """Return the languages of two texts that are compared.

    One in Latin letters whose words do not tell is in the language of the other, if that is
    written in Latin letters, too; one without letters is in the language of the other.
    """
    left, right = language_of(reference, recorded), language_of(candidate, recorded)
    if left == right:
        return left, right
    if _script(reference) is None or (left == LATIN and right in LATIN_ONLY):
        return right, right
    if _script(candidate) is None or (right == LATIN and left in LATIN_ONLY):
        return left, left
    return left, right


def pair_language(reference: str, candidate: str, recorded: str = "") -> str | None:
    """Return the language of two texts that are compared; None where they have two."""
    left, right = languages_of_pair(reference, candidate, recorded)
    return left if left == right else None


def language_note(text: str, recorded: str = "") -> str:
    """Say what a reader must know of how the language of a text was found; "" where nothing is odd.

    Nothing is said of a text whose record and words agree, or whose words alone tell English.
    """
    language = language_of(text, recorded)
    if is_other(text, recorded):
        told = language_by_words(text) if language == _code(recorded) else language
        return (
            f"The record says {language_name(_code(recorded))}, but the text looks like "
            f"{language_name(told)}. It is read as {_read_as(language)}."
        )
    if language == LATIN and _script(text) == LATIN:
        return "No language is recorded, and the words do not tell it. It is read as English."
    if not _code(recorded) and language in LATIN_ONLY and language != "en":
        return f"No language is recorded. By its words it is read as {language_name(language)}."
    return ""


def _read_as(language: str) -> str:
    return "English" if language == LATIN else language_name(language)


def language_name(code: str) -> str:
    """Return what to call a language on a page."""
    if code in (LATIN, UNKNOWN):
        return "a language that its words do not tell" if code == LATIN else "an unknown language"
    return NAMES.get(code, code)


def is_read_as_english(code: str) -> bool:
    """Return whether rules for English words read a language: English, or Latin by default."""
    return code in (LATIN, "en")


def has_no_blanks(text: str) -> bool:
    """Return whether a text is written in a script without blanks between words."""
    return _script(text) in _SPACELESS | {_HAN}


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
    return len(words(text)) if has_no_blanks(text) else len(text.split())


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
