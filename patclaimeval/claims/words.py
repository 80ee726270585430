"""Claim text as words: tokens with their places, content words, common subsequences."""

import re
import unicodedata
from collections.abc import Sequence
from itertools import accumulate, count
from typing import NamedTuple

from rapidfuzz.distance import LCSseq

from patclaimeval.claims.languages import UNSPACED
from patclaimeval.claims.terms import cached

_MARKS = (
    r"\u0300-\u036f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"
    r"\ufe00-\ufe0f\ufe20-\ufe2f"
)
# Nothing of these can be seen: soft hyphen, zero-width characters, bidi controls, C0 controls.
_UNSEEN = r"\x00-\x08\x0e-\x1b\x7f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
_WORD = rf"[^\W\d{UNSPACED}]+(?:[{_MARKS}{_UNSEEN}]+[^\W\d{UNSPACED}]*)*"
_TOKEN = re.compile(
    rf"(\d+(?:[.,]\d+)*|{_WORD}|[{UNSPACED}][{_MARKS}]*|[^\s{_UNSEEN}])",
)
# The same for a text of ASCII characters, three times as fast.
_CONTROLS = r"\x00-\x08\x0e-\x1b\x7f"
_ASCII_TOKEN = re.compile(
    rf"([0-9]+(?:[.,][0-9]+)*|[A-Za-z_]+(?:[{_CONTROLS}]+[A-Za-z_]*)*|[^\x00-\x20\x7f])"
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
    pieces = (_ASCII_TOKEN if text.isascii() else _TOKEN).split(text[begin:])
    borders = list(accumulate(map(len, pieces), initial=begin))
    return Tokens(borders[1:-1:2], borders[2::2], list(map(token_key, pieces[1::2])))


@cached
def token_key(word: str) -> str:
    """Return the key by which a token equals another, as `read_tokens` describes it."""
    if not (word.isascii() and word.isalnum()):
        word = unicodedata.normalize("NFKC", _UNSEEN_RUN.sub("", word).translate(_ONE_SIGN))
    if len(word) == 1:
        return "a" if word == "A" else word
    if len(word) <= _LONGEST_SYMBOL and not word[1:].islower():
        return word
    return word.lower()


def is_content(key: str) -> bool:
    """Return whether a token shows what a text is about: no function word and no punctuation."""
    return key not in _FUNCTION and key[:1].isalnum()


# Tokens of one side times tokens of the other: 30,000 by 30,000 take 0.4 s and 110 MB.
MOST_COMPARED = 40_000**2

Pair = tuple[int, int]


def common_words(left: Sequence[str], right: Sequence[str]) -> list[Pair]:
    """Return places (i, j) with left[i] == right[j], rising in both, as many as can be.

    Inputs: two lists of words. Output: the pairs of a longest common subsequence, [] if there is
    none. Where len(left) * len(right), less what both begin and end with, is above MOST_COMPARED,
    only what both begin and end with is paired.
    """
    size = min(len(left), len(right))
    head = next((i for i in range(size) if left[i] != right[i]), size)
    tail = next((i for i in range(size - head) if left[-1 - i] != right[-1 - i]), size - head)
    pairs = [(place, place) for place in range(head)]
    middle, other = left[head : len(left) - tail], right[head : len(right) - tail]
    if len(middle) * len(other) <= MOST_COMPARED:
        for block in LCSseq.opcodes(middle, other):
            if block.tag == "equal":
                places = range(head + block.src_start, head + block.src_end)
                pairs += zip(places, count(head + block.dest_start), strict=False)
    return pairs + [(len(left) - i, len(right) - i) for i in range(tail, 0, -1)]


WordPairs = tuple[tuple[str, str], ...]

# Other names for one thing: two of them in one claim set are an inconsistency.
RENAMINGS: WordPairs = (
    ("housing", "enclosure"),
    ("controller", "supervisor"),
    ("processor", "computing core"),
    ("sensor", "probe"),
    ("memory", "storage"),
    ("device", "apparatus"),
    ("member", "part"),
    ("unit", "module"),
    ("signal", "indication"),
    ("composition", "mixture"),
)

# Words that blur a limitation; the first is a place, the second what stands there afterwards.
MUDDLES: WordPairs = (
    ("configured to", "possibly configured, as appropriate, to"),
    ("adapted to", "possibly adapted, as appropriate, to"),
    ("arranged", "suitably or otherwise arranged"),
    ("connected", "in some manner associated or connected"),
    ("comprises", "comprises or may comprise, or the like,"),
    ("when", "when or about when"),
    ("which", "which, roughly speaking,"),
    ("that is", "that is more or less"),
)

# Endings that leave a limitation open.
BLURRED_ENDINGS = (
    ", or something of that kind",
    ", if appropriate",
    ", as the case may be",
    ", or the like",
    ", in a suitable manner or not",
    ", substantially so",
)


# Words of the drafter's craft and labels: with or without them a limitation means the same.
_CRAFT_WORDS = """
according accordingly adapted aforesaid arranged being capable certain characterised characterized
configured corresponding designed embodiment first following forth furnished given having herein
least means namely operable operative plurality provided provision provides related relating respect
respective respectively second set step steps suitable third used using wherein additionally
additional fourth fifth characterising characterizing operably described mentioned
"""
# Hedges: they blur a limitation but set none.
_HEDGES = """
appropriate appropriately approximately case certain essentially generally kind like manner normally
optional optionally otherwise perhaps possible possibly preferable preferably rough roughly somehow
something speaking substantially suitable suitably typically usually
"""
HEDGE_WORDS = frozenset(_HEDGES.split())
CRAFT_WORDS = HEDGE_WORDS.union(_CRAFT_WORDS.split())
# Groups of words that drafters use for one another; each word is read as the first of its group.
_SYNONYM_GROUPS = """
attach fasten secure fix affix mount
select choose
make form compose
execute perform carry
connect couple join link
exceed above greater larger higher more
below under less smaller lower fewer
locate position place dispose situate
obtain acquire get
show display present
begin start commence
end terminate
near adjacent
apparatus device
"""
# What stands for a suffix, and the shortest stem it may leave. Agent nouns stay: a sensor is no
# sensing.
_SUFFIXES = (("ication", "y", 3), ("ation", "", 4), ("ional", "", 4), ("ion", "", 4),
             ("ment", "", 4), ("ingly", "", 4), ("ing", "", 3), ("edly", "", 4), ("ed", "", 3),
             ("ity", "", 4), ("ly", "", 4))  # fmt: skip
_VOWEL = re.compile("[aeiouy]")
_SHORTEST_INFLECTED, _LONGEST_INFLECTED = 4, 40
_IDEOGRAPH_CRAFT_PAIRS = """
所述 一种 其中 包括 根据 根據 包含 据权 權利 权利 利要 要求 项所 任一 一项
"""
_IDEOGRAPH_CRAFT = frozenset(_IDEOGRAPH_CRAFT_PAIRS.split())
# "(12)", "(102, 202a)", "(W1)", "(a)", "(iv)": labels and reference numerals, which limit nothing.
# An item is all that stands up to the next separator, and is read in one way only: "i" is a letter
# and a Roman number, and trying both for each of a list costs two to the power of its length.
_LABEL_ITEM = r"(?>(?:\d+[a-z]?'?|[a-z]\d{0,3}'?|[ivx]{1,4})(?=[\s,;/)-]))"
_LABELS = re.compile(rf"\(\s*{_LABEL_ITEM}(?:\s*[,;/-]\s*{_LABEL_ITEM})*\s*\)", re.IGNORECASE)
# What counts the step that a text opens with: "b. heating", "iii) cooling".
_STEP = re.compile(r"\s*(?:[a-z]|[ivx]{2,4})[.)]\s", re.IGNORECASE)
_FIRST_UNSPACED = "\u0e01"
# What names claims, in the languages in which citations are read, and what joins their numbers.
_CLAIM_WORDS = """
claim claims anspruch anspruchs anspr\u00fcche anspr\u00fcchen patentanspruch patentanspr\u00fcche
revendication revendications
"""
_JOINING = ", or and to through - any of one / oder und bis ou et \u00e0 \u3001 ~ \u301c"
_CLAIMS = frozenset(_CLAIM_WORDS.split())
_CITING = _CLAIMS.union(_JOINING.split())
_HAN_CLAIMS = frozenset("\u6c42\u9879\u9805")
_HAN_CITING = frozenset(
    "\u81f3\u5230\u6216\u548c\u53ca\u4e0e\u8207\u8005\u53c8\u306f\u307e\u305f\u304b\u3089\u3073\u306a\u3044\u3057\u4e43"
)


def content_words(text: str) -> list[str]:
    """Return the content words of a claim or a part of one, in order, with repeats.

    Input: any text. Output: keys under which inflections of a word ("forming", "formed") and some
    words that drafters use for one another ("select", "choose") are one. Left out are function
    words, hedges, words of the drafter's craft ("configured", "respective", "first"), the number
    marker, numbers of cited claims, list labels and reference numerals ("(a)", "(12, 14a)").
    Unspaced scripts give pairs of neighbouring characters. A surface reading, not a lexicon.
    """
    tokens = _read_unlabelled(text)
    words: list[str] = []
    is_citing = False
    previous_end, previous_key = -1, ""
    for place, key in enumerate(tokens.keys):
        if len(key) == 1 and key >= _FIRST_UNSPACED and key.isalnum():
            if tokens.starts[place] == previous_end and previous_key + key not in _IDEOGRAPH_CRAFT:
                words.append(previous_key + key)
            previous_end, previous_key = tokens.ends[place], key
            is_citing = key in _HAN_CLAIMS or (is_citing and key in _HAN_CITING)
        elif key in _CLAIMS:
            is_citing = True
        elif is_citing and (key.isdigit() or key in _CITING):
            continue
        else:
            is_citing = False
            if is_content(key) and key not in CRAFT_WORDS:
                words.append(stem(key))
    return words


def _read_unlabelled(text: str) -> Tokens:
    if step := _STEP.match(text):
        text = text[step.end() :]
    return read_tokens(blank_labels(text))


def blank_labels(text: str) -> str:
    """Return a text with a blank for each character of a label or reference numeral in brackets."""
    return _LABELS.sub(lambda match: " " * len(match.group()), text)


def read_unlabelled(text: str) -> list[str]:
    """Return the keys of the tokens of a text, step labels and reference numerals left out."""
    return _read_unlabelled(text).keys


@cached
def stem(word: str) -> str:
    """Return the key of a word under which its inflections and its synonyms are one."""
    cut = cut_suffixes(word)
    return _SYNONYMS.get(cut, cut)


def cut_suffixes(word: str) -> str:
    """Cut the plural, up to two suffixes and a silent e, while a stem remains."""
    is_word = _SHORTEST_INFLECTED <= len(word) <= _LONGEST_INFLECTED
    if not (is_word and word.isascii() and word.islower()):
        return word
    if word.endswith(("ies", "ied")):
        word = word[:-3] + "y"
    elif word.endswith(("sses", "shes", "ches", "xes")):
        word = word[:-2]
    elif word.endswith("s") and word[-2] not in "sui":
        word = word[:-1]
    word = _without_suffix(_without_suffix(word))
    if word.endswith("i"):
        word = word[:-1] + "y"
    if word.endswith("ll"):
        return word[:-1]
    return word.removesuffix("e") if len(word) >= _SHORTEST_INFLECTED else word


def _without_suffix(word: str) -> str:
    for suffix, instead, shortest in _SUFFIXES:
        rest = word.removesuffix(suffix)
        if suffix == "ed" and rest.endswith("e"):
            continue  # a speed is not the past of anything
        if len(word) > len(rest) >= shortest and _VOWEL.search(rest):
            doubled = len(rest) > shortest and rest[-1] == rest[-2] != "s"
            return (rest[:-1] if doubled else rest) + instead
    return word


_SYNONYMS = {
    cut_suffixes(word): cut_suffixes(group.split()[0])
    for group in _SYNONYM_GROUPS.strip().splitlines()
    for word in group.split()
}
