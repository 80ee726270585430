"""Two claim sets side by side, the aids and keys that a person prefers, error tags as shown."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby, zip_longest
from typing import Any, Final

from django.db import transaction

from annotator.claims.change_classes import CLASSES, Change
from annotator.claims.limitations import Standing
from annotator.claims.mark_kinds import LESS_CERTAIN
from annotator.claims.reading import (
    ONLY,
    ClaimView,
    LimitationView,
    Reading,
    SideView,
    plain,
    read_pair,
)
from annotator.claims.segments import Segment
from annotator.keymap import ACTIONS, keymap, shown
from annotator.models import Candidate, ReadingPreference, Reference, User
from annotator.rating_values import AIDS
from annotator.typology import clean_tags, grouped, quote_of, tag_of
from core.errors import Refused
from core.text_io.strict_json import StrictJsonError, loads

SWITCHED: Final = (
    *(one.change.value for one in CLASSES if one.change is not Change.SUBSTANCE),
    LESS_CERTAIN,
)
"""What a person may have marked on request: classes of differences, and less certain marks."""


def show_aid(*, user: User, aid: str, is_shown: bool) -> ReadingPreference:
    """Show or hide a reading aid: rows, differences, marks, or what is marked on request."""
    if aid in SWITCHED:
        return _show_changes(user, aid, is_shown=is_shown)
    if aid not in AIDS:
        known = ", ".join((*AIDS, *SWITCHED))
        raise Refused(f"There is no reading aid {aid[:40]!r}; there are {known}.")
    row, _ = ReadingPreference.objects.update_or_create(
        user=user, defaults={f"shows_{aid}": is_shown}
    )
    return row


@transaction.atomic
def _show_changes(user: User, change: str, *, is_shown: bool) -> ReadingPreference:
    row, _ = ReadingPreference.objects.select_for_update(no_key=True).get_or_create(user=user)
    shown = {*row.shows_changes, change} if is_shown else {*row.shows_changes} - {change}
    row.shows_changes = [name for name in SWITCHED if name in shown]
    row.save(update_fields=["shows_changes"])
    return row


def save_keys(*, user: User, changes: Mapping[str, str], single_keys: bool) -> ReadingPreference:
    """Store a person's own keys; what is not named has its default."""
    row, _ = ReadingPreference.objects.update_or_create(
        user=user, defaults={"keys": dict(changes), "single_keys": single_keys}
    )
    return row


# Pairs cached per process. The texts themselves are the key: equal texts read alike, whatever row
# they come from, and nothing is written to disk or to a shared cache.
MOST_CACHED = 128
# A reading takes some 30 times the memory of its text: large ones are worked out each time.
LARGEST_CACHED = 100_000
_cached_reading = lru_cache(maxsize=MOST_CACHED)(read_pair)


def reading_of(reference: Reference, candidate: Candidate) -> Reading:
    """Return the reading of a candidate beside its reference."""
    read = reference.claims, candidate.claims, reference.language
    if len(reference.claims) + len(candidate.claims) > LARGEST_CACHED:
        return read_pair(*read)
    return _cached_reading(*read)


def reading_preference(user: User) -> ReadingPreference:
    """Return how the user likes to read; the defaults when they never chose."""
    return ReadingPreference.objects.filter(user=user).first() or ReadingPreference(user=user)


AID_LABELS: Final = {"aligned": "Aligned", "diff": "Differences", "marks": "Marks"}
# Those of a page of two candidates: there the rows are always aligned.
AIDS_OF_TWO: Final = ("diff", "marks")


def reading_context(
    preference: ReadingPreference,
    key_labels: Mapping[str, str],
    aids: Sequence[str] = AIDS_OF_TWO,
) -> dict[str, Any]:
    """Return the reading aids of a page, and the person's keys there.

    `key_labels` is how the page labels those keys of the rate page that work on it.
    """
    keys = keymap(preference.keys, single_keys=preference.single_keys)
    printed = {code: [shown(key) for key in keys[code]] for code in key_labels}
    is_on = {aid: bool(getattr(preference, f"shows_{aid}")) for aid in aids}
    return {
        "aids": is_on,
        "shown_changes": preference.shows_changes,
        "aid_buttons": [
            (aid, AID_LABELS[aid], is_on[aid], " ".join(printed[f"toggle-{aid}"])) for aid in aids
        ],
        "keys": {code.replace("-", "_"): " ".join(pressed) for code, pressed in printed.items()},
        "key_list": [(key_labels[code], pressed) for code, pressed in printed.items() if pressed],
        "has_single_keys": preference.single_keys,
        "keymap": json.dumps(
            {
                "keys": {a.code: keys[a.code] for a in ACTIONS if a.code in key_labels},
                "single": preference.single_keys,
            }
        ),
    }


# What the reference's limitations are called on a page of two candidates.
LACKING = {
    (True, True): "missing-both",
    (True, False): "missing-left",
    (False, True): "missing-right",
    (False, False): "",
}


@dataclass(frozen=True, slots=True)
class CompareRow:
    """A reference claim with its counterparts; None where a side has none."""

    reference: ClaimView | None
    left: ClaimView | None
    right: ClaimView | None


@dataclass(frozen=True, slots=True)
class Compared:
    """Candidates beside their reference: each text, and the rows by reference claim."""

    reference: SideView
    candidates: tuple[SideView, ...]
    rows: tuple[CompareRow, ...]
    notices: tuple[str, ...]


def compare_rows(left: Reading, right: Reading) -> Compared:
    """Set two candidates beside the reference of both.

    Inputs: the readings of two candidates against one reference. In the reference a word is
    marked as only here when neither candidate has it, and a limitation is called missing where
    the left, the right or both lack it; its own marks stay. Candidate claims without a
    counterpart stand behind the row of the one before them. Where one reading is plain, all three
    texts are shown plainly. No text is changed.
    """
    if left.is_plain != right.is_plain:
        left, right = plain(left), plain(right)
    claims = tuple(
        _both(one, other)
        for one, other in zip(left.reference.claims, right.reference.claims, strict=True)
    )
    sides = (_by_reference(left), _by_reference(right))
    rows = _alone(None, sides)
    for claim in claims:
        one, other = (side.get(claim.start, (None, [])) for side in sides)
        rows.append(CompareRow(claim, one[0], other[0]))
        rows += _alone(claim.start, sides)
    reference = replace(left.reference, claims=claims)
    notices = tuple(dict.fromkeys((*left.notices, *right.notices)))
    return Compared(reference, (left.candidate, right.candidate), tuple(rows), notices)


# By the start of a reference claim: its counterpart, and those that follow without one.
_Counterparts = dict[int | None, tuple[ClaimView | None, list[ClaimView]]]


def _by_reference(reading: Reading) -> _Counterparts:
    found: _Counterparts = {None: (None, [])}
    at: int | None = None
    for reference, candidate in reading.rows:
        if reference is not None:
            at = reference.start
            found[at] = (candidate, [])
        elif candidate is not None:
            found[at][1].append(candidate)
    return found


def _alone(start: int | None, sides: Iterable[_Counterparts]) -> list[CompareRow]:
    left, right = (side[start][1] for side in sides)
    return [CompareRow(None, one, other) for one, other in zip_longest(left, right)]


@dataclass(frozen=True, slots=True)
class _Piece:
    """A segment of one reading with the limitation that it is of."""

    limitation: int
    standing: str
    segment: Segment

    @property
    def end(self) -> int:
        return self.segment.start + len(self.segment.text)


def _both(left: ClaimView, right: ClaimView) -> ClaimView:
    """Return a reference claim cut wherever either reading cuts it."""
    joint = _joint(list(_pieces(left)), list(_pieces(right)))
    limitations: list[LimitationView] = []
    for _, group in groupby(joint, key=lambda pair: (pair[0].limitation, pair[1].limitation)):
        pairs = list(group)
        segments = _merged(_common(one, other) for one, other in pairs)
        if limitations and not any(segment.text.strip() for segment in segments):
            # The white space between two limitations is no limitation of its own.
            last = limitations.pop()
            limitations.append(replace(last, segments=_merged((*last.segments, *segments))))
            continue
        one, other = (piece.standing == Standing.MISSING for piece in pairs[0])
        limitations.append(LimitationView(LACKING[one, other], segments))
    # What one candidate made of the claim says nothing of the other.
    return replace(left, limitations=tuple(limitations), sharing=None, share="")


def _merged(segments: Iterable[Segment]) -> tuple[Segment, ...]:
    """Return the segments with neighbours under the same marks joined."""
    groups = groupby(segments, key=lambda segment: (segment.kinds, segment.notes))
    return tuple(_one([*group]) for _, group in groups)


def _one(segments: list[Segment]) -> Segment:
    if len(segments) == 1:
        return segments[0]
    return replace(segments[0], text="".join(segment.text for segment in segments))


def _pieces(claim: ClaimView) -> Iterator[_Piece]:
    for index, limitation in enumerate(claim.limitations):
        for segment in limitation.segments:
            yield _Piece(index, limitation.standing, segment)


def _joint(left: list[_Piece], right: list[_Piece]) -> Iterator[tuple[_Piece, _Piece]]:
    """Yield the pieces of both, cut to the same pieces of text."""
    one = other = 0
    while one < len(left) and other < len(right):
        start = max(left[one].segment.start, right[other].segment.start)
        end = min(left[one].end, right[other].end)
        yield _cut(left[one], start, end), _cut(right[other], start, end)
        one += left[one].end == end
        other += right[other].end == end


def _cut(piece: _Piece, start: int, end: int) -> _Piece:
    whole = piece.segment
    text = whole.text[start - whole.start : end - whole.start]
    return replace(piece, segment=replace(whole, text=text, start=start))


def _common(left: _Piece, right: _Piece) -> Segment:
    """Return a segment whose words are only here, by the left's class, when so in both readings."""
    kinds = left.segment.kinds
    if not any(kind.startswith(ONLY) for kind in right.segment.kinds):
        kinds = tuple(kind for kind in kinds if not kind.startswith(ONLY))
    return replace(left.segment, kinds=kinds)


LONGEST_QUOTE: Final = 60


@dataclass(frozen=True, slots=True)
class Chip:
    """One chosen tag; `place` is its index in the list, `start` and `end` are -1 without a span."""

    place: int
    name: str
    definition: str
    side: str
    quote: str
    start: int
    end: int


def chosen_tags(sent: str, texts: Mapping[str, str]) -> dict[str, Any]:
    """Return the chips of the tags in `sent` (JSON), and all tags by group.

    What cannot be read is left to the form, which gives the reason at submit: it shows no chip.
    """
    return {
        "chips": [
            _chip(place, stored, texts) for place, stored in enumerate(read_tags(sent, texts))
        ],
        "tag_groups": grouped(),
    }


def read_tags(sent: str, texts: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the tags in `sent` (JSON) as they would be stored; [] when they cannot be read."""
    try:
        tags = loads((sent or "[]").encode("utf-8", "surrogatepass"))
        return clean_tags(tags, texts) if isinstance(tags, Sequence) else []
    except (StrictJsonError, ValueError):
        return []


def _chip(place: int, stored: Mapping[str, Any], texts: Mapping[str, str]) -> Chip:
    tag = tag_of(stored["tag"])
    assert tag is not None, "cleaned tags are known tags"
    quote = quote_of(stored, texts)
    if len(quote) > LONGEST_QUOTE:
        quote = f"{quote[: LONGEST_QUOTE - 1]}…"
    span = (stored.get(name, -1) for name in ("start", "end"))
    return Chip(place, tag.name, tag.definition, stored["side"], quote, *span)
