"""Plants edits in claim sets, each with the verdict that the claim chart must give."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from typing import Any, Final, NamedTuple

from patclaimeval.claims.definite_phrases import ORDINALS
from patclaimeval.claims.parsing import Claim, find_references, parse_claims
from patclaimeval.claims.splitting import split_features
from patclaimeval.claims.terms import Mention, find_mentions, singular
from patclaimeval.claims.words import content_words

Span = tuple[int, int]
Change = tuple[int, int, str]
_words = cache(content_words)
# Without one of its words, a limitation with these may be narrower, or no sentence.
_AMBIGUOUS = re.compile(
    r"\b(?:not?|without|never|less|fewer|n?or|unless|until|only|if|when|at least|at most|except"
    r"|free|prevent\w*|other|different|same|optional\w*|such as|one of|selected|group|claims?)\b"
)
_BOUND = re.compile(r"(?:least|most|than|above|below|up to|within)\W[^,;]*\Z")
_OTHER_WORDS = """
upper:lower inner:outer above:below front:rear top:bottom proximal:distal horizontal:vertical
longitudinal:transverse upstream:downstream manual:automatic analog:digital positive:negative
parallel:oblique maximum:minimum internal:external GaN:ZnO AlN:SiN InGaN:CdTe AlGaN:GaAs wood:metal
kerosene:gasoline polymer:ceramic plastic:glass steel:aluminum copper:silver rubber:felt
"""
_PAIRS = [pair.split(":") for pair in _OTHER_WORDS.split()]
_OTHER: Final = {old: new for left, right in _PAIRS for old, new in ((left, right), (right, left))}
_OPENING = re.compile(
    r"(?:The|An?)\s[^,:;]{3,90}?\s(?:according to|of|as claimed in|as recited in)\s"
    r"(?:any(?: one)? of )?claims?\s(?P<number>\d+),?\s+(?=where|further|in which|compris|includ)"
)
_REST = r"(?:(?!,\s(?:and\s)?where)[^;:.]|\.(?=\d))+"
_REMOVABLE = re.compile(
    rf"(?<!\d)(?<!claim)(?<!claims)[,;]\s+(?:and\s+)?(?P<clause>where(?:in)?\s{_REST})(?=[;.,])"
    rf"|(?<=;)\s*(?P<element>(?!and\s|or\s|where)(?!\s){_REST});"
)
_EXPLAINED = re.compile(r"(?:\s\([\w, ]+\))?\s(?:of|for|that|which|in which|between|to be)\b")
_PART = re.compile(
    r"same|est |(?:amount|end|height|length|number|position|second|side|value|width)\Z"
)


class Edit(NamedTuple):
    """A reference and a candidate that differ by one edit; fields have both, in this order.

    The verdict is expected in one of `places`. A renamed noun is in `terms`, old and new.
    """

    texts: tuple[str, str]
    places: tuple[Span, Span]
    claims: tuple[int, int]
    terms: tuple[str, ...] = ()


EditFunction = Callable[[str, random.Random], Edit | None]


def plant(sets: Sequence[str], name: str, count: int, seed: int) -> list[Edit]:
    """Plant edits of one kind: one in each set before a second in any, each in other words."""
    rng = random.Random(f"{seed} {name}")
    found: dict[object, Edit] = {}
    for text in [text for _ in range(6) for text in _shuffle(rng, sets)]:
        if len(found) < count and (edit := KINDS[name][0](text, rng)):
            (start, end), original = edit.places[0], edit.texts[0]
            before, after = (
                re.sub(r"[\W\d]", "", one) for one in (original[:start], original[end:])
            )
            around = before[-15:], original[start:end], after[:15]
            found.setdefault(edit.terms or (around if end else edit.texts[1]), edit)
    return list(found.values())


def _shuffle(rng: random.Random, items: Iterable[Any]) -> list[Any]:
    shuffled = list(items)
    rng.shuffle(shuffled)
    return shuffled


def _make_edit(
    text: str, changes: list[Change], place: Span = (0, 0), terms: tuple[str, ...] = ()
) -> Edit:
    """Return the edit that makes some changes; `place` counts in the text before it."""
    edited = text
    for start, end, words in sorted(changes, reverse=True):
        edited = edited[:start] + words + edited[end:]

    number = _claim_at(text, place[0]).number or 0
    moved = [sum(len(new) - e + s for s, e, new in changes if e <= border) for border in place]
    places = place, (place[0] + moved[0], place[1] + moved[1])
    return Edit((text, edited), places, (number, number), terms)


def _swap(function: EditFunction) -> EditFunction:
    """Return the opposite edit: what it makes is the reference, the original the candidate."""

    def swapped(text: str, rng: random.Random) -> Edit | None:
        edit = function(text, rng)
        return Edit._make(field[::-1] for field in edit) if edit else None

    return swapped


def _replace(
    pattern: str,
    new: str | Callable[[re.Match[str]], str],
    is_fit: Callable[[str, Span, re.Match[str]], bool] = lambda text, limitation, match: True,
    *,
    everywhere: bool = False,
) -> EditFunction:
    """Return the edit of one match of a pattern that fits, or of all matches in one claim."""
    compiled = re.compile(pattern)

    def edit(text: str, rng: random.Random) -> Edit | None:
        for claim in _shuffle(rng, parse_claims(text)):
            found = list(compiled.finditer(text, claim.start + claim.body_offset, claim.end))
            found = [one for one in found if is_fit(text, _limitation_at(text, one.start()), one)]
            if found:
                chosen = found if everywhere else [rng.choice(found)]
                words = [new(one) if callable(new) else one.expand(new) for one in chosen]
                spans = [one.span() for one in chosen]
                changes = [(*span, word) for span, word in zip(spans, words, strict=True)]
                return _make_edit(text, changes, (0, 0) if everywhere else spans[0])
        return None

    return edit


def _claim_at(text: str, place: int) -> Claim:
    return next(claim for claim in parse_claims(text) if claim.start <= place < claim.end)


@cache
def _limitations(text: str) -> list[Span]:
    parts = [(one.start, part) for one in parse_claims(text) for part in split_features(one.text)]
    return [(start + part.start, start + part.end) for start, part in parts]


def _limitation_at(text: str, place: int) -> Span:
    return next(span for span in _limitations(text) if span[0] <= place < span[1])


def _is_elsewhere(text: str, span: Span, share: float) -> bool:
    """Return whether one other limitation has at least a share of a span's words."""
    own = set(_words(text[slice(*span)]))
    others = [s for s in _limitations(text) if s[1] <= span[0] or s[0] >= span[1]]
    return any(len(own.intersection(_words(text[s:e]))) >= share * len(own) for s, e in others)


def _has_noun(text: str, noun: str) -> bool:
    return any(singular(word) == noun for word in re.findall(r"[a-z][a-z-]*", text.lower()))


def _back_references(text: str, start: int, end: int) -> list[Mention]:
    """Return the phrases elsewhere that refer to what only a span of the text introduces."""
    heads = {m.heads[0] for m in find_mentions(text[start:end]) if not m.is_definite}
    heads = {head for head in heads if not _has_noun(text[:start], head)}
    definite = [m for m in find_mentions(text) if m.is_definite and not start <= m.start < end]
    return [mention for mention in definite if heads.intersection(mention.heads)]


def _is_needed(text: str, limitation: Span, match: re.Match[str]) -> bool:
    """Return whether a limitation without a match can only be broader."""
    words = match[0].split(maxsplit=1)[1]
    start, end = limitation
    is_new = text.count(words) == 1 and words.split()[-1] not in text[start : match.start()]
    is_short = 2 * len(match[0]) < end - start and match.end() <= end
    is_plain = is_new and is_short and not _AMBIGUOUS.search(text, start, end)
    return is_plain and not _is_elsewhere(text, limitation, 1)


def _is_introduction(text: str, _: Span, match: re.Match[str]) -> bool:
    """Return whether only a match introduces a term to which its claim refers back."""
    rest = text[match.end() : _claim_at(text, match.start()).end]
    is_new = not _has_noun(text[: match.start()], match["term"].rsplit(" ", 1)[-1])
    is_needed = re.search(rf"\b(?:the|said)\s{match['term']}\b", rest) is not None
    return is_new and is_needed and not _PART.search(match["term"])


def _removable(text: str, rng: random.Random) -> Iterator[tuple[Span, Change]]:
    """Yield limitations that can be cut and leave a sentence behind, with what cuts them."""
    for match in _shuffle(rng, _REMOVABLE.finditer(text)):
        before = text[_claim_at(text, match.start()).start : match.end()]
        if match["clause"] or " where" not in before:
            yield match.span(match.lastgroup or 0), (*match.span(), "")


def _is_alone(text: str, span: Span) -> bool:
    """Return whether nothing else says what a span says, or refers to what it introduces."""
    is_plain = len(_words(text[slice(*span)])) > 3 and "claim" not in text[slice(*span)]
    return is_plain and not _is_elsewhere(text, span, 0.6) and not _back_references(text, *span)


def _drop_limitation(text: str, rng: random.Random) -> Edit | None:
    found = [(span, cut) for span, cut in _removable(text, rng) if _is_alone(text, span)]
    return _make_edit(text, [found[0][1]], found[0][0]) if found else None


def _demote(text: str, rng: random.Random) -> Edit | None:
    """Move a limitation of an independent claim into a claim added at the end."""
    for span, cut in _removable(text, rng):
        claims, claim = parse_claims(text), _claim_at(text, span[0])
        children = [c.body for c in claims if c.depends_on == (claim.number,)]
        opening = next(filter(None, map(_OPENING.match, children)), None)
        if opening and not claim.depends_on and _is_alone(text, span):
            words, number = text[slice(*span)], len(claims) + 1
            lead = "" if words.startswith("where") else "further comprising "
            added = f"\n{number}. {opening[0]}{lead}{words}."
            edit = _make_edit(text, [cut, (len(text), len(text), added)], span)
            end = len(edit.texts[1]) - 1
            place, numbers = (end - len(words), end), (claim.number or 0, number)
            return edit._replace(places=(span, place), claims=numbers)
    return None


def _drop_introduction(text: str, rng: random.Random) -> Edit | None:
    """Remove the limitation that introduces a thing to which the claims refer later."""
    for span, cut in _removable(text, rng):
        for mention in _back_references(text, *span)[:1]:
            is_known = _has_noun(text[span[1] : mention.start], mention.heads[-1])
            is_given = is_known or _EXPLAINED.match(text, mention.end) or _PART.search(mention.term)
            if mention.start > span[1] and not is_given:
                return _make_edit(text, [cut], (mention.start, mention.end))
    return None


def _cite_grandparent_too(text: str, rng: random.Random) -> Edit | None:
    """Make a claim cite one claim higher as well: an antecedent is lacking on one path."""
    claims = parse_claims(text)
    for mention in _shuffle(rng, find_mentions(text)):
        claim, noun = _claim_at(text, mention.start), mention.heads[-1]
        opening = _OPENING.search(text, claim.start, claim.end)
        parent = claims[claim.depends_on[0] - 1] if len(claim.depends_on) == 1 else claim
        if opening and mention.is_definite and len(parent.depends_on) == 1 and parent != claim:
            others = text[parent.end : claim.start] + text[opening.end() : mention.start]
            is_new = _has_noun(parent.text, noun) and not _has_noun(text[: parent.start], noun)
            is_explained = _EXPLAINED.match(text, mention.end)
            if is_new and not is_explained and not _has_noun(others, noun):
                new = f"{parent.depends_on[0]} or {parent.number}"
                place = mention.start, mention.end
                return _make_edit(text, [(*opening.span("number"), new)], place)
    return None


def _rename(text: str, rng: random.Random, step: int = 1) -> Edit | None:
    """Call a thing by another name in all places, or in some."""
    for old in _shuffle(rng, {m.heads[0]: 0 for m in find_mentions(text) if m.is_definite}):
        new = "implement" if old[0] in "aeiou" else "widget"
        found = list(re.finditer(rf"(?<![\w-]){old}(?=s?(?![\w-]))", text))
        named = re.findall(rf"\b(?:the|said|an?|each)\s{old}\b", text)
        is_noun = len(named) > 0.75 * len(found) and old not in ORDINALS
        if is_noun and len(found) > 2 + step:
            changes = [(*match.span(), new) for match in found[::step]]
            return _make_edit(text, changes, found[0].span(), (old, new))
    return None


def _insert_claim(text: str, rng: random.Random) -> Edit | None:
    """Insert a claim and shift the numbers and citations behind it."""
    marks = [re.compile(r"\d+").search(text, claim.start) for claim in parse_claims(text)]
    spans = {mark.span() for mark in marks if mark}
    spans |= {(one.start, one.end) for one in find_references(text)}
    numbers = [(*span, int(text[slice(*span)])) for span in spans]
    for claim in _shuffle(rng, parse_claims(text)[1:-1]):
        if opening := _OPENING.match(claim.body):
            mark = claim.text[: claim.body_offset]
            words = f"{mark.rstrip()} {opening[0]}wherein a manual is sold with it. "
            changes = [(s, e, str(old + 1)) for s, e, old in numbers if old >= (claim.number or 0)]
            return _make_edit(text, [(claim.start, claim.start, words), *changes])
    return None


_drop_word = _replace(
    r"\ban?\s(?!(?:based|bed|cable|desired|feed|initial|material|metric|need|possible"
    r"|predetermined|related|seed|selected|serial|speed|suitable|table|variable)\b)(?:random|flat"
    r"|[a-z]+(?:ous|ive|ical|ular|able|ible|ic|ial|onal|ental|ed|-shaped)|rigid|hollow|thin|thick)\s"
    r"(?P<noun>(?![aeiou])[a-z]{4,})\b",
    r"a \g<noun>",
    _is_needed,
)
_drop_phrase = _replace(
    r"(?<!is|or|ly|re)(?<!and)\s(?:(?:that|which) (?:is|are)\s|(?:formed|disposed|located|arranged"
    r"|mounted) (?:in|on|at|by|within)\s|(?:along|within|through|by means of|using|inside|around)"
    r" (?:the|an?)\s)[^,;:.]{4,120}(?=[;.])",
    "",
    _is_needed,
)
_ITEM = r"(?:an?|the|said)(?:\s(?!(?:is|are|each|both|between|least|or|and)\b)[^\s,;:.]+){1,7}"
_choose = _replace(
    r"\b(?P<verb>includ(?:es?|ing)|compris(?:es?|ing)|has|have|having|contains?)\s"
    rf"(?P<first>{_ITEM}(?:,\s{_ITEM})*),?\sand\s(?P<last>{_ITEM})(?=[;.,])",
    r"\g<verb> at least one of \g<first> or \g<last>",
)
_close = _replace(r"(?<!further )\bcomprising(?=:|\s(?:an?|the|at)\s)", "consisting of")
_couple = _replace(r"\bconnected(?= (?:to|with|between)\b)", "coupled")
_drop_back_reference = _replace(
    r"(?<=\d\.\s)(?:The|A)\s((?![aeiou])[^,:;]{3,90}?)\s(?:of|according to)\sclaim\s\d+(,(?s:.+))",
    r"A \1\2",
)
_NUMBER = r"[1-9]\d*(?:\.\d+)?"
_change_number = _replace(
    rf"(?<![\w.,(/-]){_NUMBER}(?:\s?(?:to|and|-)\s?{_NUMBER})?(?=\s?(?:°|%|\\u00b0|(?:degrees?|[mcnµk]?m"
    r"|m?s|seconds?|minutes?|hours?|inch|pounds|[kMG]?Hz|[mk]g|V)\b))",
    lambda match: re.sub(_NUMBER, lambda found: f"{3 * float(found[0]):g}", match[0]),
    lambda text, limitation, match: not _BOUND.search(text[limitation[0] : match.start()]),
)
_change_substance = _replace(
    rf"(?<![\w-])(?<!\ba )(?<!\ban )({'|'.join(_OTHER)})(?![\w-])",
    lambda match: _OTHER[match[0]],
    lambda text, limitation, match: _OTHER[match[0]] not in text[slice(*limitation)],
)
_make_definite = _replace(
    r"\ban?\s(?P<term>(?:[a-z-]+\s){0,2}[a-z-]{3,})(?=[,;]|\s(?:and|on|to|with|having|comprising)\b)",
    r"the \g<term>",
    _is_introduction,
)
_inflect = _replace(
    r"\b(?:that|which)\s(includ|compris|provid|surround|generat|receiv|detect|stor|contain)e?s\b",
    r"\1ing",
)
_letter = _replace(
    r"(?<=[:;])\s(?=(?:and\s)?(?:an?|the)\s)",
    lambda match: f" ({chr(97 + match.string.count(';', match.pos, match.start()) % 26)}) ",
    everywhere=True,
)
_say_said = _replace(r"(?<=\s)the(?=\s(?!same|other|least|first or)[a-z])", "said", everywhere=True)
_drop_numerals = _replace(r"\s\((?:\d+[a-z]?(?:,\s)?)+\)", "", everywhere=True)
KINDS: Final[dict[str, tuple[EditFunction, tuple[str, ...]]]] = {
    "limitation into a dependent claim": (_demote, ("demoted",)),
    "limitation into the independent claim": (_swap(_demote), ("promoted",)),
    "limitation dropped": (_drop_limitation, ("nowhere",)),
    "limitation added": (_swap(_drop_limitation), ("added",)),
    "back-reference dropped": (_drop_back_reference, ("broader", "promoted")),
    "word dropped": (_drop_word, ("broader",)),
    "word added": (_swap(_drop_word), ("narrower",)),
    "phrase dropped": (_drop_phrase, ("broader", "part")),
    "phrase added": (_swap(_drop_phrase), ("narrower", "part")),
    "and -> at least one of ... or": (_choose, ("broader",)),
    "at least one of ... or -> and": (_swap(_choose), ("narrower",)),
    "comprising -> consisting of": (_close, ("narrower",)),
    "consisting of -> comprising": (_swap(_close), ("broader",)),
    "connected -> coupled": (_couple, ("broader",)),
    "coupled -> connected": (_swap(_couple), ("narrower",)),
    "number or range changed": (_change_number, ("different",)),
    "direction or material changed": (_change_substance, ("different",)),
    "term renamed everywhere": (_rename, ("renamed",)),
    "term renamed in places": (partial(_rename, step=2), ("drifts",)),
    "introduction made definite": (_make_definite, ("gap",)),
    "introducing limitation dropped": (_drop_introduction, ("gap",)),
    "one path without the antecedent": (_cite_grandparent_too, ("gap",)),
    "citation broken": (_replace(r"(?<=\bclaim )\d+", "97"), ("citation",)),
    "unchanged": (lambda text, rng: _make_edit(text, []), ("nothing",)),
    "claim inserted, others renumbered": (_insert_claim, ("nothing",)),
    "the -> said": (_say_said, ("nothing",)),
    "letters before list elements": (_letter, ("nothing",)),
    "inflection": (_inflect, ("nothing",)),
    "reference numerals dropped": (_drop_numerals, ("nothing",)),
}
"""Each kind of edit, with the verdicts that are right for it."""
