"""Which words of English claims are nouns: by the places in which they stand, without a lexicon."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from patclaimeval.claims.terms import (
    NOUNS_IN_ING,
    NOUNS_IN_LY,
    STOP_WORDS,
    Mention,
    find_mentions,
    is_adjective,
    singular,
)

# A word alone between a preposition and the end of its phrase: "of steel,", "with water and".
_BARE = re.compile(
    r"\b(?:of|from|with|without|into|between|during|containing|comprising|comprises|including"
    r"|includes|having|has)\s+(?P<word>[A-Za-z][A-Za-z-]*)"
    r"(?=\s*[,;:.()]|\s+(?P<next>[A-Za-z]+))"
)
# These end a phrase with an article and are no nouns, or name no thing: "the same", "said one".
_NO_NOUN_LIST = """
claim claims first following former kind latter least like manner number one other others plurality
remaining respective same second third two three four five six seven eight nine ten way
"""
_NO_NOUNS = frozenset(_NO_NOUN_LIST.split())


def find_nouns(texts: Iterable[str]) -> frozenset[str]:
    """Return the words, in the singular, that end a noun phrase somewhere in English texts.

    A noun phrase stands after an article, or is one word between a preposition and punctuation or
    a function word. Participles and adverbs are left out, but for an "-ing" after an article. A
    word that ends like an adjective must stand alone after its article, or in the plural: "the
    drive" but not "a roller cooperative with".
    """
    found: set[str] = set()
    for text in texts:
        for mention in find_mentions(text):
            noun = _head(mention)
            # "Each consisting of ..." is no phrase; "the coating" is one.
            is_gerund = noun.endswith("ing") and mention.article != "each"
            is_named = noun == mention.term or not noun.endswith(_ADJECTIVE_ENDINGS)
            if (is_gerund or not _is_participle(noun)) and (is_named or _has_plural(mention, noun)):
                found.add(noun)
        for match in _BARE.finditer(text):
            word, following = match["word"].lower(), match["next"]
            is_last = following is None or following.lower() in STOP_WORDS
            if is_last and not _is_participle(word):
                found.add(singular(word))
    return frozenset(found - _NO_NOUNS - STOP_WORDS)


_ADJECTIVE_ENDINGS = (
    *("able", "ible", "ive", "ous", "ful", "less", "ary", "ic", "al", "ant"),
    *("dent", "rent", "tent", "cent", "lent", "form"),
)


def _has_plural(mention: Mention, noun: str) -> bool:
    return noun not in mention.term.split(" ")


_LONGEST_IN_ED = 4
"""A bed, a shed and an LED are no participles."""


def _is_participle(word: str) -> bool:
    """Whether a word is a participle or an adverb by its ending."""
    if word.endswith("ly"):
        return word not in NOUNS_IN_LY
    return (word.endswith("ing") and word not in NOUNS_IN_ING) or _is_past(word)


def _is_past(word: str) -> bool:
    return len(word) > _LONGEST_IN_ED and word.endswith("ed") and not word.endswith("eed")


def _head(mention: Mention) -> str:
    """Return the noun of a mention: "valve" of "the valve opens" and of "the valves open"."""
    words = mention.term.split(" ")
    for place, word in enumerate(words[:-1]):
        if singular(word) != word and not word.endswith("ss"):
            return singular(word)
        following = words[place + 1]
        is_verb = singular(following) != following or following.endswith("ing")
        if is_verb and place + 2 == len(words) and following not in NOUNS_IN_ING:
            # "The pressure sensor rises" and "the pressure sensors" look alike; the word before is
            # a noun in both.
            return word
    return singular(words[-1])


_BEFORE_VERB_LIST = """
are be been being can could did do does is may might must not shall should that to was were which
who will would
"""
# After them a word is a verb ("to control"), or an adjective without a noun ("is external to").
_BEFORE_VERBS = frozenset(_BEFORE_VERB_LIST.split())
# No noun stands right before them.
_DETERMINERS = frozenset(["a", "an", "each", "its", "said", "the", "their", "these", "this"])
_IRREGULAR_LIST = """
begun bound broken brought built chosen done driven drawn fed found given gone got held kept known
laid led left made met shown sent set sold spent taken thrown worn written
"""
_IRREGULAR_PARTICIPLES = frozenset(_IRREGULAR_LIST.split())
# Endings that nouns have, and hardly another part of speech. Comparatives end in "-er", too.
_NOUN_ENDINGS = (
    *("tion", "sion", "ment", "ness", "ance", "ence", "ity", "ship", "ism", "ology", "itor"),
    *("ator", "izer", "iser", "meter", "scope", "graph", "idine", "oxide", "cture"),
)
# A word of Latin letters, digits allowed after the first ("H2O"); hyphens and apostrophes join.
_LETTER = "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f"
WORD = re.compile(rf"(?<![\w])[{_LETTER}][{_LETTER}0-9]*(?:[-'\u2019][{_LETTER}0-9]+)*")
_BLANK = frozenset((" ", "\n", "\u00a0"))


@dataclass(frozen=True, slots=True)
class ReadWord:
    """One word of a text, and whether it is a noun, or may stand before one in its phrase."""

    text: str
    start: int
    end: int
    is_noun: bool
    is_modifier: bool


def find_phrases(
    text: str, nouns: Collection[str], wanted: Callable[[str], bool]
) -> Iterator[tuple[ReadWord, ...]]:
    """Yield the noun phrases of an English text without their articles, in order.

    Inputs: a text, what `find_nouns` finds in it and in texts like it, and which words are looked
    for: only runs of words with one of them are read. A phrase is part of a run of words without
    function words and punctuation, and ends with its last noun.
    """
    run: list[re.Match[str]] = []
    before, done = "", 0
    for match in WORD.finditer(text):
        start, word = match.start(), match.group().lower()
        is_next = text[done:start] in _BLANK
        if run and (not is_next or word in STOP_WORDS):
            if any(wanted(one.group()) for one in run):
                yield from _read_run(run, before, word if is_next else "", nouns)
            before, run = "", []
        if word in STOP_WORDS:
            before = word
        else:
            before = before if is_next else ""
            run.append(match)
        done = match.end()
    if any(wanted(one.group()) for one in run):
        yield from _read_run(run, before, "", nouns)


def _read_run(
    run: Sequence[re.Match[str]], before: str, behind: str, nouns: Collection[str]
) -> Iterator[tuple[ReadWord, ...]]:
    """Yield the noun phrases of a run of words, between the function words at its ends."""
    words = [match.group().lower() for match in run]
    phrase: list[ReadWord] = []
    for match, previous, following in zip(
        run, [before, *words], [*words[1:], behind], strict=False
    ):
        read = _read(match, previous, following, nouns)
        if read.is_noun or read.is_modifier:
            phrase.append(read)
        if not read.is_modifier:
            yield from _until_noun(phrase)
            phrase = []
    yield from _until_noun(phrase)


def _until_noun(run: list[ReadWord]) -> Iterator[tuple[ReadWord, ...]]:
    last = max((place for place, word in enumerate(run) if word.is_noun), default=-1)
    if last >= 0:
        yield tuple(run[: last + 1])


def _read(match: re.Match[str], before: str, following: str, nouns: Collection[str]) -> ReadWord:
    """Read one word that is no function word, by its neighbours."""
    word = match.group()
    lowered = word.lower()
    is_verb = (
        before in _BEFORE_VERBS
        or following in _DETERMINERS
        or following == "than"
        or is_adjective(lowered, following)
        or (lowered in _IRREGULAR_PARTICIPLES and not word.isupper())
    )
    is_last = not following or following in STOP_WORDS
    if _is_participle(lowered):
        # "The monitoring of", "a receiving unit", but not "by monitoring the".
        is_gerund = lowered.endswith("ing") and before in _DETERMINERS
        is_noun = is_gerund and is_last and not is_verb and singular(lowered) in nouns
        is_modifier = is_gerund or (_is_past(lowered) and not is_last)
    else:
        is_name = singular(lowered) in nouns or lowered.endswith(_NOUN_ENDINGS)
        has_capital = word[1:].lower() != word[1:] or (word[0].isupper() and before != "")
        # "The valves open", "the tank stores water": with a word behind it, a plural ends a phrase
        # or is a verb. Only an article tells that it is no verb.
        is_modifier = is_last or lowered == singular(lowered)
        is_noun = (is_name or has_capital) and (is_modifier or before in _DETERMINERS)
    return ReadWord(word, *match.span(), is_noun and not is_verb, is_modifier and not is_verb)
