"""Owns the reading of claim text as words: tokens with their places, and what counts as equal."""

import re
import unicodedata
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

# Scripts that write no spaces: kana, ideographs, Thai, Lao, Burmese, Khmer.
_UNSPACED = (
    r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
    r"\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff"
)
_MARKS = (
    r"\u0300-\u036f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"
    r"\ufe00-\ufe0f\ufe20-\ufe2f"
)
# Nothing of these can be seen: soft hyphen, zero-width characters, bidi controls, C0 controls.
_UNSEEN = r"\x00-\x08\x0e-\x1b\x7f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
_WORD = rf"[^\W\d{_UNSPACED}]+(?:[{_MARKS}{_UNSEEN}]+[^\W\d{_UNSPACED}]*)*"
_TOKEN = re.compile(
    rf"(\d+(?:[.,]\d+)*|{_WORD}|[{_UNSPACED}][{_MARKS}]*|[^\s{_UNSEEN}])",
)
_UNSEEN_RUN = re.compile(rf"[{_UNSEEN}]+")
_SPACE = rf"[\s{_UNSEEN}]*"
# What opens a claim: "1.", "1)", "(1)", "Claim 1:", an ideographic comma, perhaps in a tag.
_MARKER = re.compile(
    rf"{_SPACE}(?:<[a-z][^<>\n]{{0,60}}>{_SPACE})?"
    rf"(?:(?:claim|\u6743\u5229\u8981\u6c42)\s*\d{{1,4}}(?:\s*[:.)\uff1a\uff0e\u3001-]|(?=\s))"
    rf"|[(\uff08]\d{{1,4}}[)\uff09]|\d{{1,4}}{_SPACE}(?:[.):](?!\d)|[\uff1a\uff0e\u3001]))",
    re.IGNORECASE,
)
_ONE_SIGN = str.maketrans(
    "\u2010\u2011\u2012\u2013\u2014\u2212\u2018\u2019\u201c\u201d", "------''\"\""
)
# Words without which two texts about one thing still are about one thing.
_FUNCTION_WORDS = """
a about all also an and any are as at be been being both but by can claim claims comprise comprised
comprises comprising could do does each either every for from further furthermore had has have
having if in include included includes including into is it its least may might more of on one or
other over said shall should so some such than that the their then there thereby therein thereof
these they this those through thus to under upon using via was were when whereby wherein where
which while who whose will with would
"""
_FUNCTION = frozenset(_FUNCTION_WORDS.split())
_LONGEST_CACHED = 40
# Up to this length capitals may carry the meaning: Co and CO, mM and MM, pH.
_LONGEST_SYMBOL = 4


class Tokens(NamedTuple):
    """The tokens of one text: token i is text[starts[i]:ends[i]] and is compared by keys[i]."""

    starts: list[int]
    ends: list[int]
    keys: list[str]


def read_tokens(text: str) -> Tokens:
    """Return the words, numbers, unspaced characters and punctuation marks of `text` in order.

    Input: any text; output: lists of one length. Between tokens stand only spaces and unseen
    characters. Two tokens are equal when their keys are: after compatibility folding, with one
    kind of dash and quote, without unseen characters, and in lower case - but for symbols of up to
    four letters in which a capital follows the first letter (CO is not Co), and for single letters
    other than "A". Numbers and the letters beside them are apart ("10mm" equals "10 mm"); unspaced
    scripts are read by character. The number marker that opens a claim is no token.
    """
    opening = _MARKER.match(text)
    begin = opening.end() if opening else 0
    # The pattern is one group: gap, token, gap, token, ..., gap.
    pieces = _TOKEN.split(text[begin:])
    borders = list(accumulate(map(len, pieces), initial=begin))
    return Tokens(borders[1:-1:2], borders[2::2], [fold(piece) for piece in pieces[1::2]])


def fold(word: str) -> str:
    """Return the key by which a token equals another, as `read_tokens` describes it."""
    return _fold_cached(word) if len(word) <= _LONGEST_CACHED else _fold(word)


def _fold(word: str) -> str:
    if not (word.isascii() and word.isalnum()):
        word = unicodedata.normalize("NFKC", _UNSEEN_RUN.sub("", word).translate(_ONE_SIGN))
    if len(word) == 1:
        return "a" if word == "A" else word
    if len(word) <= _LONGEST_SYMBOL and not word[1:].islower():
        return word
    return word.lower()


_fold_cached = lru_cache(maxsize=16_384)(_fold)


def is_content(key: str) -> bool:
    """Tell whether a token says what a text is about: no function word and no punctuation."""
    return key not in _FUNCTION and key[:1].isalnum()
