"""Two claim sets side by side, the aids and keys that a person prefers, error tags as shown."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from django.db import transaction

from annotator.keymap import ACTIONS, keymap, shown
from annotator.models import Candidate, ReadingPreference, Reference, User
from annotator.rating_values import AIDS
from annotator.typology import clean_tags, grouped, quote_of, tag_of
from core.errors import Refused
from patclaimeval.claims.change_classes import CLASSES, Change
from patclaimeval.claims.mark_kinds import LESS_CERTAIN
from patclaimeval.claims.reading import Reading, read_pair
from patclaimeval.text_io.strict_json import StrictJsonError, loads

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
    return reading_of_texts(reference.claims, candidate.claims, reference.language)


def reading_of_texts(reference: str, candidate: str, language: str) -> Reading:
    """Return the reading of two texts, of which the language is recorded as this, or as ""."""
    if len(reference) + len(candidate) > LARGEST_CACHED:
        return read_pair(reference, candidate, language)
    return _cached_reading(reference, candidate, language)


def reading_preference(user: User) -> ReadingPreference:
    """Return how the user likes to read; the defaults when they never chose."""
    return ReadingPreference.objects.filter(user=user).first() or ReadingPreference(user=user)


# The keys of the rate screen for reading, as the other screens with claim sets label them.
READING_KEYS: Final = {
    "scroll-down": "Scroll the claim sets down",
    "scroll-up": "Scroll the claim sets up",
    "toggle-diff": "Word differences on or off",
    "toggle-marks": "Marks on or off",
    "fold-dependents": "Fold or unfold dependent claims",
    "fold-all": "Fold or unfold all claims",
    "fold-equal": "Fold or unfold claims without a change",
    "next-difference": "Next difference",
    "previous-difference": "Previous difference",
    "next-mark": "Next mark",
    "previous-mark": "Previous mark",
    "go-to-claim": "Go to a claim by its number",
    "find": "Find a term in all texts",
    "context": "Description and drawings, beside the claims",
}
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
