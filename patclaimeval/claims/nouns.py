"""Which words of English claims are nouns: by the places in which they stand, without a lexicon."""

import re
from collections.abc import Iterable

from patclaimeval.claims.terms import NOUNS_IN_ING, STOP_WORDS, Mention, find_mentions, singular

# A word alone between a preposition and the end of its phrase: "of steel,", "with water and".
_BARE = re.compile(
    r"\b(?:of|from|with|without|into|between|containing)\s+(?P<word>[A-Za-z][A-Za-z-]*)"
    r"(?=\s*[,;:.()]|\s+(?P<next>[A-Za-z]+))"
)
# These end a phrase with an article and are no nouns, or name no thing: "the same", "said one".
_NO_NOUN_LIST = """
claim claims following former kind latter least like manner number one other others plurality
remaining respective same second third way first
"""
_NO_NOUNS = frozenset(_NO_NOUN_LIST.split())
_PARTICIPLES = ("ing", "ed", "ly")


def find_nouns(texts: Iterable[str]) -> frozenset[str]:
    """Return the words, in the singular, that end a noun phrase somewhere in English texts.

    A noun phrase stands after an article, or is one word between a preposition and punctuation or
    a function word. Words ending in "-ing", "-ed" and "-ly" count only after an article.
    """
    found: set[str] = set()
    for text in texts:
        for mention in find_mentions(text):
            noun = _head(mention)
            # "Each consisting of ..." is no phrase; "the coating" is one.
            if not noun.endswith("ing" if mention.article == "each" else ("ed", "ly")):
                found.add(noun)
        for match in _BARE.finditer(text):
            word, following = match["word"].lower(), match["next"]
            is_last = following is None or following.lower() in STOP_WORDS
            if is_last and not word.endswith(_PARTICIPLES):
                found.add(singular(word))
    return frozenset(found - _NO_NOUNS - STOP_WORDS)


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
