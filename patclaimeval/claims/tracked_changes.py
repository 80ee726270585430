"""From one claim set to another as tracked changes: what stays, what goes, what comes, in order."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, NamedTuple

from patclaimeval.claims.change_classes import Change, classify
from patclaimeval.claims.pairing import align_claims
from patclaimeval.claims.parsing import Claim, claim_body, parse_claims
from patclaimeval.claims.sides import REFERENCE
from patclaimeval.claims.word_diff import Gap, find_gaps
from patclaimeval.claims.words import Tokens, read_tokens

# White space, letters' case and numbers of claims differ without being a difference on a page.
LAYOUT: Final = Change.PUNCTUATION
ALL_CHANGES: Final = frozenset(Change)


class Step(StrEnum):
    """What became of a stretch of text."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class Stretch:
    """A piece of the changed text, and which characters of each side it stands for.

    What is the same only but for a class of differences that is not tracked has the candidate's
    text, perhaps none. `begins`: a claim begins here.
    """

    step: Step
    text: str
    reference: tuple[int, int]
    candidate: tuple[int, int]
    begins: bool = False

    def of(self, side: str) -> tuple[int, int]:
        """Return which characters of a side it stands for."""
        return self.reference if side == REFERENCE else self.candidate


class Spot(NamedTuple):
    """A place in a text of stretches: which of them, and how many characters into it."""

    stretch: int
    offset: int


def track_changes(
    reference: str, candidate: str, tracked: Collection[Change] = ALL_CHANGES
) -> tuple[Stretch, ...]:
    """Return how the reference becomes the candidate.

    Inputs: two claim sets, and the classes of differences that are tracked; substance always is,
    and so is a claim that only one side has or that stands elsewhere. Output: stretches in order.
    The texts of all but what is removed, joined, are the candidate byte for byte; with all classes
    the texts of all but what is added are the reference. Differences of other classes are not
    marked and stand as in the candidate. Claims are paired as on the rate page and their words
    compared as there; white space, the case of letters and the numbers of claims count as layout.
    """
    sides = parse_claims(reference), parse_claims(candidate)
    tracker = _Tracker(frozenset({Change.SUBSTANCE, *tracked}))
    rows = align_claims(*sides)
    anchors = [
        (row.reference, row.candidate)
        for row in rows
        if row.reference is not None and row.candidate is not None and not row.is_moved
    ]
    left = right = 0
    for i, j in [*anchors, (len(sides[0]), len(sides[1]))]:
        for claim in sides[0][left:i]:
            tracker.begins = True
            tracker.remove(claim.text)
        for claim in sides[1][right:j]:
            tracker.begins = True
            tracker.add(claim.text)
        if i < len(sides[0]):
            tracker.begins = True
            _track_pair(tracker, sides[0][i], sides[1][j])
        left, right = i + 1, j + 1
    return tuple(_joined(tracker.stretches))


def unchanged(text: str) -> tuple[Stretch, ...]:
    """Return a text in which nothing is changed, a stretch for each claim."""
    places = ((claim.text, (claim.start, claim.end)) for claim in parse_claims(text))
    return tuple(Stretch(Step.SAME, words, span, span, begins=True) for words, span in places)


def spots_of(
    stretches: Sequence[Stretch], side: str, start: int, end: int
) -> tuple[Spot, Spot] | None:
    """Return where the characters start to end of a side stand; None where the text is too short.

    What is not tracked and differs is taken whole.
    """
    first = last = None
    for place, one in enumerate(stretches):
        low, high = one.of(side)
        is_exact = high - low == len(one.text)
        if first is None and low <= start < high:
            first = Spot(place, start - low if is_exact else 0)
        if low < end <= high:
            last = Spot(place, end - low if is_exact else len(one.text))
    return (first, last) if first is not None and last is not None else None


class _Tracker:
    """Writes stretches one after the other, and counts how far each side has come."""

    def __init__(self, tracked: frozenset[Change]) -> None:
        self.tracked = tracked
        self.stretches: list[Stretch] = []
        # Whether what is written next begins a claim.
        self.begins = False
        self._ends = (0, 0)

    def remove(self, text: str) -> None:
        self._write(Step.REMOVED, text, len(text), 0)

    def add(self, text: str) -> None:
        self._write(Step.ADDED, text, 0, len(text))

    def same(self, here: str, there: str, *, tracks: bool | None = None) -> None:
        """Write what is the same on both sides, but perhaps for its layout."""
        tracks = LAYOUT in self.tracked if tracks is None else tracks
        if here != there and tracks:
            self.remove(here)
            self.add(there)
        else:
            self._write(Step.SAME, there, len(here), len(there))

    def _write(self, step: Step, text: str, here: int, there: int) -> None:
        left, right = self._ends
        self._ends = left + here, right + there
        if here or there:
            span, other = (left, self._ends[0]), (right, self._ends[1])
            self.stretches.append(Stretch(step, text, span, other, self.begins))
            self.begins = False


class _Word(NamedTuple):
    """A token with the white space before it, and its class where it differs."""

    lead: str
    text: str
    change: Change | None

    @property
    def whole(self) -> str:
        return self.lead + self.text


def _track_pair(tracker: _Tracker, reference: Claim, candidate: Claim) -> None:
    left, right = claim_body(reference), claim_body(candidate)
    tracker.same(reference.text[: reference.body_offset], candidate.text[: candidate.body_offset])
    tokens = read_tokens(left), read_tokens(right)
    gaps = find_gaps(tokens[0].keys, tokens[1].keys)
    classes = classify(
        tokens[0].keys, tokens[1].keys, [(g.low, g.high, g.start, g.stop) for g in gaps]
    )
    own, others = _words(left, tokens[0], classes[0]), _words(right, tokens[1], classes[1])
    i = j = 0
    for gap in [*gaps, Gap(len(own), len(own), len(others), len(others))]:
        for one, other in zip(own[i : gap.low], others[j : gap.start], strict=True):
            tracker.same(one.lead, other.lead)
            tracker.same(one.text, other.text)
        _track_gap(tracker, own[gap.low : gap.high], others[gap.start : gap.stop])
        i, j = gap.high, gap.stop
    tails = _tail(left, tokens[0]), _tail(right, tokens[1])
    # Where one text ends, the blank line goes or comes with the claims that follow it.
    is_of_end = not all(tails)
    tracker.same(*tails, tracks=True if is_of_end else None)


def _track_gap(tracker: _Tracker, own: list[_Word], others: list[_Word]) -> None:
    if own and others:
        tracker.same(own[0].lead, others[0].lead)
        own[0], others[0] = own[0]._replace(lead=""), others[0]._replace(lead="")
    first = next(
        (place for place, word in enumerate(others) if word.change in tracker.tracked),
        len(others),
    )
    for word in others[:first]:
        tracker.same("", word.whole, tracks=False)
    for word in own:
        if word.change in tracker.tracked:
            tracker.remove(word.whole)
        else:
            tracker.same(word.whole, "", tracks=False)
    for word in others[first:]:
        if word.change in tracker.tracked:
            tracker.add(word.whole)
        else:
            tracker.same("", word.whole, tracks=False)


def _words(body: str, tokens: Tokens, classes: dict[int, Change]) -> list[_Word]:
    ends = [0, *tokens.ends]
    return [
        _Word(body[ends[place] : start], body[start:end], classes.get(place))
        for place, (start, end) in enumerate(zip(tokens.starts, tokens.ends, strict=True))
    ]


def _tail(body: str, tokens: Tokens) -> str:
    return body[tokens.ends[-1] if tokens.ends else 0 :]


def _joined(stretches: Sequence[Stretch]) -> Iterator[Stretch]:
    """Join neighbours of one step that stand for their characters one by one."""
    before: Stretch | None = None
    for one in stretches:
        if before is not None and _are_one(before, one):
            before = replace(
                before,
                text=before.text + one.text,
                reference=(before.reference[0], one.reference[1]),
                candidate=(before.candidate[0], one.candidate[1]),
            )
            continue
        if before is not None:
            yield before
        before = one
    if before is not None:
        yield before


def _are_one(before: Stretch, one: Stretch) -> bool:
    return before.step is one.step and not one.begins and _is_exact(before) and _is_exact(one)


def _is_exact(one: Stretch) -> bool:
    lengths = {high - low for low, high in (one.reference, one.candidate)}
    return lengths <= ({len(one.text)} if one.step is Step.SAME else {0, len(one.text)})
