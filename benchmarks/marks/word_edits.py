"""Edits of words inside a limitation, and edits that change nothing that is claimed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchmarks.marks.claim_sets import (
    Change,
    ClaimSet,
    MovableLimitation,
    Span,
    body_of,
    exchange,
    marker_of,
    renumber,
)
from benchmarks.marks.planting import NOTHING, Finder, Proposal, row
from benchmarks.marks.vocabulary import (
    CONTRASTS,
    INFLECTED,
    LOOSE_WORDS,
    MATERIALS,
    NUMBER_WORDS,
    QUALIFIER,
    UNITS,
)

_NARROW_EITHER_WAY = re.compile(
    r"\b(?:not|no|nor|without|never|less|fewer|or|unless|until|only|if|when|at least|at most|except"
    r"|free of|prevent\w*|other than|different|same|optional\w*|example|like|such as|selected from"
    r"|in particular)\b",
    re.IGNORECASE,
)


# Words inside a limitation.


def drop_qualifier(claims: ClaimSet) -> Iterator[Proposal]:
    """Remove an adjective before a noun, or an adverb, that occurs with it once."""
    for match in QUALIFIER.finditer(claims.text):
        word = match["word"]
        # "The determined value" repeats a step; it qualifies nothing.
        if word.endswith("ed") and (match["article"] or "").lower() in ("the", "said"):
            continue
        pair = f"{word} {match['noun']}".lower()
        if word.lower() in LOOSE_WORDS or claims.text.lower().count(pair) != 1:
            continue
        span = match.span("cut")
        limitation = claims.limitation_at(match.start())
        if limitation is None or not _is_one_sided(claims, span):
            continue
        is_empty = match["noun"] in claims.text[limitation[0] : match.start()]
        if is_empty or claims.is_said_elsewhere(limitation):
            continue
        changes: list[Change] = [(*span, "")]
        article = match["article"]
        if article and article.lower() in ("a", "an"):
            new = "an" if match["noun"][0].lower() in "aeiou" else "a"
            new = new.capitalize() if article[0].isupper() else new
            changes.append((*match.span("article"), new))
        yield changes, row(span, scopes=("broader",))


_PHRASE = re.compile(
    r"\s+(?:(?:that|which) (?:is|are)\s|(?:formed|disposed|located|provided|arranged|positioned"
    r"|captured|mounted) (?:in|on|at|by|within|along|from|between)\s|(?:along|within|by means of"
    r"|through|using|inside|around) (?:the|a|an|said)\s)[^,;:.]{4,120}(?=[;.])"
)


_UNFINISHED = re.compile(
    r"\b(?:is|are|be|being|been|was|were|that|which|and|or|to|extending|\w+ly)\Z"
)


def drop_phrase(claims: ClaimSet) -> Iterator[Proposal]:
    """Remove a restrictive phrase at the end of a limitation."""
    for match in _PHRASE.finditer(claims.text):
        limitation = claims.limitation_at(match.start())
        claim = claims.claim_at(match.start())
        if limitation is None or claim is None or not _is_one_sided(claims, match.span()):
            continue
        words = match.group()
        item = MovableLimitation(claim, *match.span(), (), is_clause=True, words=words)
        rest = len(claims.text[limitation[0] : match.start()].split())
        is_rest_short = rest < max(5, len(words.split()))
        is_broken = _UNFINISHED.search(claims.text, 0, match.start()) or "claim" in words
        is_needed = claims.is_said_elsewhere(limitation) or claims.names_used_elsewhere(item)
        if not (is_rest_short or is_broken or is_needed):
            yield [(*match.span(), "")], row(match.span(), "in", "part", scopes=("broader", ""))


_CHOICES = re.compile(r"\b(?:selected from|group consisting|one of|such as)\b")


def _is_one_sided(claims: ClaimSet, span: Span) -> bool:
    """Whether fewer words in a limitation can only mean a broader claim."""
    limitation = claims.limitation_at(span[0])
    if limitation is None or span[1] > limitation[1]:
        return False
    claim = claims.claim_at(span[0])
    is_choice = claim and _CHOICES.search(claims.text, claim.start, span[0])
    return not is_choice and not _NARROW_EITHER_WAY.search(claims.text, *limitation)


_PARTICIPLE = re.compile(
    r"\b(?:formed|disposed|arranged|mounted|attached|located|positioned|connected|fixed)"
    r"(?= (?P<preposition>on|to|in|within|between|at|along)\s(?:the|said|an?)\b)"
)
_EXACTLY = {"on": " directly", "to": " directly", "in": " entirely", "within": " entirely"}


def add_adverb(claims: ClaimSet) -> Iterator[Proposal]:
    """Narrow a participle: "formed on the plate" becomes "formed directly on the plate"."""
    for match in _PARTICIPLE.finditer(claims.text):
        word = _EXACTLY.get(match["preposition"], " exactly")
        if _is_one_sided(claims, match.span()):
            yield [(match.end(), match.end(), word)], row(match.span(), scopes=("narrower",))


_ONE = r"(?:an?|the|said)\s[^,;:.()]{2,50}?(?:\s\([\w, ]{1,12}\))?"
_ALL = re.compile(
    rf"\b(?:includes?|including|comprises?|comprising|has|have|having|contains?)\s(?P<first>{_ONE}(?:,\s{_ONE})*),?"
    rf"\sand\s(?P<last>(?:an?|the|said)\s[^,;:.]{{2,50}})(?=[;.,])"
)
_CHOICE = re.compile(
    r"\bat least one of (?P<first>(?:(?!\bor\b|\band\b|\bat\b)[^;:.])+?),?\s(?:and/or|or|and)\s"
    r"(?P<last>(?:an?\s|the\s|said\s)?[^,;:.]{2,50})(?=[;.,])"
)


def choose_one(claims: ClaimSet) -> Iterator[Proposal]:
    """Loosen a list: "includes a motor and a fan" becomes "includes at least one of ... or ..."."""
    for match in _ALL.finditer(claims.text):
        if re.search(
            r"\b(?:is|are|each|both|between|respectiv\w+|at least|or|and)\b",
            match["first"] + match["last"],
        ):
            continue
        new = f"at least one of {match['first'].rstrip(',')} or {match['last']}"
        span = match.start("first"), match.end()
        if claims.limitation_at(span[0]):
            yield [(*span, new)], row(span, scopes=("broader",))


def require_all(claims: ClaimSet) -> Iterator[Proposal]:
    """Tighten a list: "at least one of a motor or a fan" becomes "a motor and a fan"."""
    for match in _CHOICE.finditer(claims.text):
        is_named = re.search(r"\b(?:the|said|[a-z]+ed)\s\Z", claims.text[: match.start()])
        if is_named or re.search(r"\b(?:to|is|are)\b", match["first"] + match["last"]):
            continue
        new = f"{match['first'].rstrip(',')} and {match['last']}"
        yield [(*match.span(), new)], row(match.span(), scopes=("narrower",))


def close_list(claims: ClaimSet) -> Iterator[Proposal]:
    """Close an open list: "comprising" becomes "consisting of"."""
    for claim in claims.claims:
        start = body_of(claim)[0]
        match = re.compile(
            r"\bcomprising(?=:|\s(?:an?|the|at)\s)|\bcomprises(?=:|\s(?:an?|two)\s)"
        ).search(claims.text, start, claim.end)
        if match and "further" not in claims.text[match.start() - 8 : match.start()]:
            new = "consisting of" if match.group() == "comprising" else "consists of"
            yield [(*match.span(), new)], row(match.span(), scopes=("narrower",))


def couple(claims: ClaimSet) -> Iterator[Proposal]:
    """Widen a joint: "connected" becomes "coupled"."""
    for match in re.finditer(r"\bconnected(?= (?:to|with|between)\b)", claims.text):
        if claims.limitation_at(match.start()):
            yield [(*match.span(), "coupled")], row(match.span(), scopes=("broader",))


_AT_LEAST = re.compile(
    r"(?:least|(?:greater|more|wider|larger|longer|higher) than|above|exceed\w*)\W[^,;]*$"
)
_AT_MOST = re.compile(
    r"(?:most|not? [a-z]+ than|(?:less|smaller|narrower|shorter|lower) than|below|up to|within)"
    r"\W[^,;]*$"
)


def change_number(claims: ClaimSet) -> Iterator[Proposal]:
    """Change a number with its unit, a range, or a number word."""
    for match in UNITS.finditer(claims.text):
        low, high = match["low"], match["high"]
        top = float(high or low)
        if not top:
            continue
        digits = len((high or low).partition(".")[2])
        changes: list[Change] = [(*match.span("high"), f"{top * 3:.{digits}f}")] if high else []
        changes.append((*match.span("low"), f"{top * 2:.{digits}f}"))
        before = claims.text[max(0, match.start() - 30) : match.start()].lower()
        scopes = ["different"]
        if not high and _AT_MOST.search(before):
            scopes.append("broader")
        elif not high and _AT_LEAST.search(before):
            scopes.append("narrower")
        yield changes, row(match.span(), scopes=tuple(scopes))
    for match in re.finditer(r"\b(two|three|four|five)\s(?=[a-z-]+s\b)", claims.text):
        before = claims.text[max(0, match.start() - 12) : match.start()]
        if not re.search(r"(?:least|or|than|first|to)\s$", before) and claims.limitation_at(
            match.start()
        ):
            new = NUMBER_WORDS[match[1]]
            yield [(*match.span(1), new)], row(match.span(1), scopes=("different", "narrower"))


_SHORT = 6


def change_substance(claims: ClaimSet) -> Iterator[Proposal]:
    """Exchange a direction or a material for another one."""
    for known in (CONTRASTS, MATERIALS):
        pattern = "|".join(sorted(map(re.escape, known), key=len, reverse=True))
        for match in re.finditer(rf"(?<![\w-])({pattern})(?![\w-])(?P<next>\s\w+)?", claims.text):
            new = "higher" if match.group() == "lower than" else known[match[1]]
            limitation = claims.limitation_at(match.start())
            if limitation is None or claims.text.count(match.group()) > 2:
                continue
            if len(claims.text[slice(*limitation)].split()) < _SHORT:
                continue
            if not re.search(rf"\b{re.escape(new)}\b", claims.text[slice(*limitation)]):
                changes = exchange(claims.text, match.span(1), new)
                yield changes, row(match.span(1), scopes=("different",))


# Negative controls: edits that change nothing that is claimed.


def insert_claim(claims: ClaimSet) -> Iterator[Proposal]:
    """Put a claim in and shift the numbers and citations behind it."""
    for claim in claims.claims[1:-1]:
        opening = claims.opening(claim)
        if opening is None or not any(n >= (claim.number or 0) for n in claims.cited):
            continue
        subject = opening["subject"]
        is_act = re.search(r"\b(?:method|process)\b", subject)
        added = "is carried out at least twice" if is_act else "is sold together with a manual"
        marker = f" {marker_of(claim)} "
        noun = re.sub(r"^(?:The|An?)\s", "the ", subject)
        cited = f"{opening['form']} claim {opening['number']}"
        words = f"{marker}{subject} {cited}, wherein {noun} {added}. "
        numbers = {n: n + 1 for n in claims.by_number if n >= (claim.number or 0)}
        inserted = (claim.start, claim.start, words)
        yield [inserted, *renumber(claims.claims, numbers)], NOTHING


def replace_in_one_claim(pattern: str, new: str) -> Finder:
    """Return a finder that replaces every match in one claim."""
    compiled = re.compile(pattern)

    def find(claims: ClaimSet) -> Iterator[Proposal]:
        for claim in claims.claims:
            found = list(compiled.finditer(claims.text, body_of(claim)[0], claim.end))
            if found:
                yield [(*match.span(), match.expand(new)) for match in found], NOTHING

    return find


def letter_list(claims: ClaimSet) -> Iterator[Proposal]:
    """Give the elements of a list letters."""
    for claim in claims.claims:
        items = [item for item in claims.movable(claim) if not item.is_clause]
        if items and not re.search(r"\((?:a|i)\)|\ba[.)]", claim.text):
            yield (
                [(item.start, item.start, f"({chr(97 + n)}) ") for n, item in enumerate(items)],
                NOTHING,
            )


def inflect(claims: ClaimSet) -> Iterator[Proposal]:
    """Turn a relative clause into a participle: "that includes" into "including"."""
    for match in INFLECTED.finditer(claims.text):
        stem = match["stem"]
        new = match["participle"] or stem + "ing"
        if claims.limitation_at(match.start()):
            yield [(*match.span(), new)], NOTHING


def leave(claims: ClaimSet) -> Iterator[Proposal]:
    """Change nothing."""
    yield [], NOTHING
