"""Owns how much of a pair of texts is worked out for the eye, and what is said about the rest."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Limit:
    """The most that a pair may have of something, and the sentence for a pair that has more."""

    most: int
    sentence: str

    def message(self, count: int) -> str:
        """Return what the page says of a pair with so many; "" where nothing is left out."""
        if count <= self.most:
            return ""
        return f"{self.sentence.format(count=count, most=self.most)} The texts are complete."


_PLAIN = "claims are not set side by side, and no differences, limitations or terms are marked."
# Every reading of a pair answers within a second and 100 MB on one core, whatever its texts hold:
# the steps are linear, or nearly so, in what is counted here. benchmarks/claim_reading.py measures
# the dearest texts we know at these sizes.

# Both texts together. The parts that read words take 2 to 3 microseconds a character and some 200
# bytes of memory each.
CHARACTERS: Final = Limit(200_000, "This pair has {count:,} characters; above {most:,} " + _PLAIN)
# Of either text. The page pays a tenth of a millisecond for each, and "any preceding claim" links
# each with up to 200 before it.
CLAIMS: Final = Limit(1_000, "A text of this pair has {count:,} claims; above {most:,} " + _PLAIN)
_UNCUT = (
    "claims are not cut into limitations, and none is marked as missing, added, narrower or "
    "broader."
)
# Of either text: each is a line of the page.
LIMITATIONS: Final = Limit(
    5_000, "A text of this pair has {count:,} limitations; above {most:,} " + _UNCUT
)
# Limitations of a claim times those of its counterpart, as far as `pairing` compares them, over
# all pairs of claims: half a microsecond each.
COMPARISONS: Final = Limit(
    400_000, "This pair has {count:,} pairs of limitations to compare; above {most:,} " + _UNCUT
)
# Of either text. Each is an entry of the list beside the text and a mark in it, and a text with
# thousands of them is no longer read by its marks.
MARKS: Final = Limit(
    2_000, "A text of this pair has {count:,} marks; the first {most:,} are shown."
)
