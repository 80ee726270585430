"""Owns the content words of a claim text: what it says, less how it is worded."""

import re
from functools import lru_cache

from annotator.claims.words import is_content, read_tokens

# Words of the drafter's craft and labels: with or without them a limitation says the same.
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
_CRAFT = frozenset((_CRAFT_WORDS + _HEDGES).split())
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
show display
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
_SHORTEST_INFLECTED = 4
_LONGEST_CACHED = 40
_IDEOGRAPH_CRAFT_PAIRS = """
所述 一种 其中 包括 根据 根據 包含 据权 權利 权利 利要 要求 项所 任一 一项
"""
_IDEOGRAPH_CRAFT = frozenset(_IDEOGRAPH_CRAFT_PAIRS.split())
# "(12)", "(102, 202a)", "(W1)", "(a)", "(iv)": labels and reference numerals, which limit nothing.
# An item is all that stands up to the next separator, and is read in one way only: "i" is a letter
# and a Roman number, and trying both for each of a list costs two to the power of its length.
_LABEL_ITEM = r"(?>(?:\d+[a-z]?'?|[a-z]\d{0,3}'?|[ivx]{1,4})(?=[\s,;/)-]))"
_LABELS = re.compile(rf"\(\s*{_LABEL_ITEM}(?:\s*[,;/-]\s*{_LABEL_ITEM})*\s*\)", re.IGNORECASE)
_FIRST_UNSPACED = "\u0e01"
_CITING = frozenset(
    {",", "or", "and", "to", "through", "-", "any", "of", "one", "/", "claim", "claims"}
)


def content_words(text: str) -> list[str]:
    """Return the content words of a claim or a part of one, in order, with repeats.

    Input: any text. Output: keys under which inflections of a word ("forming", "formed") and some
    words that drafters use for one another ("select", "choose") are one. Left out are function
    words, hedges, words of the drafter's craft ("configured", "respective", "first"), the number
    marker, numbers of cited claims, list labels and reference numerals ("(a)", "(12, 14a)").
    Unspaced scripts give pairs of neighbouring characters. A surface reading, not a lexicon.
    """
    tokens = read_tokens(_LABELS.sub(" ", text))
    words: list[str] = []
    is_citing = False
    previous_end, previous_key = -1, ""
    for place, key in enumerate(tokens.keys):
        if len(key) == 1 and key >= _FIRST_UNSPACED and key.isalnum():
            if tokens.starts[place] == previous_end and previous_key + key not in _IDEOGRAPH_CRAFT:
                words.append(previous_key + key)
            previous_end, previous_key = tokens.ends[place], key
            is_citing = key == "\u6c42"
        elif key in {"claim", "claims"}:
            is_citing = True
        elif is_citing and (key.isdigit() or key in _CITING):
            continue
        else:
            is_citing = False
            if is_content(key) and key not in _CRAFT:
                words.append(stem(key))
    return words


def stem(word: str) -> str:
    """Return the key of a word under which its inflections and its synonyms are one."""
    return _stem_cached(word) if len(word) <= _LONGEST_CACHED else word


@lru_cache(maxsize=16_384)
def _stem_cached(word: str) -> str:
    cut = _cut(word)
    return _SYNONYMS.get(cut, cut)


def _cut(word: str) -> str:
    """Cut the plural, up to two suffixes and a silent e, while a stem remains."""
    if not word.isascii() or not word.islower() or len(word) < _SHORTEST_INFLECTED:
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
    _cut(word): _cut(group.split()[0])
    for group in _SYNONYM_GROUPS.strip().splitlines()
    for word in group.split()
}
