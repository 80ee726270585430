"""Error tags as the screen shows them: what is chosen, with its words, and what can be chosen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from annotator.formats.strict_json import StrictJsonError, loads
from annotator.typology import clean_tags, grouped, quote_of, tag_of

LONGEST_QUOTE: Final = 60


@dataclass(frozen=True, slots=True)
class Chip:
    """One chosen tag; `place` is its index in the list."""

    place: int
    name: str
    definition: str
    side: str
    quote: str


def chosen_tags(sent: str, texts: Mapping[str, str]) -> dict[str, Any]:
    """Return the chips of the tags in `sent` (JSON), and all tags by group.

    What cannot be read is left to the form, which says why at submit: it shows no chip.
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
    return Chip(place, tag.name, tag.definition, stored["side"], quote)
