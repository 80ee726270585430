"""How large a pair may be for its claims to be compared and marked."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Limit:
    """The most that a pair may have of something, and the sentence for a pair that has more."""

    most: int
    sentence: str

    def message(self, count: int) -> str:
        """Return the page's message about a pair with so many; "" where nothing is left out."""
        if count <= self.most:
            return ""
        return f"{self.sentence.format(count=count, most=self.most)} The texts are complete."


_PLAIN = "claims are not set side by side, and no differences, limitations or terms are marked."

# Both texts together: as many as two claim sets of 30,000 words have. 388,000 characters in 800
# limitations a side took 5 seconds.
CHARACTERS: Final = Limit(400_000, "This pair has {count:,} characters; above {most:,} " + _PLAIN)
# Of either text: more than the product promises to read.
CLAIMS: Final = Limit(300, "A text of this pair has {count:,} claims; above {most:,} " + _PLAIN)
# Of either text: five a claim, where the product promises 200 claims. Each is compared with each of
# the other text.
LIMITATIONS: Final = Limit(
    1_000, "A text of this pair has {count:,} limitations; above {most:,} " + _PLAIN
)
# Of either text. Each is an entry of the list beside the text and a mark in it, and a text with
# thousands of them is no longer read by its marks.
MARKS: Final = Limit(
    2_000, "A text of this pair has {count:,} marks; the first {most:,} are shown."
)
