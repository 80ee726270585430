"""A stated preference as a file brings it, with the texts that were compared."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

LEFT: Final = "left"
RIGHT: Final = "right"
_TURNED: Final = {LEFT: RIGHT, RIGHT: LEFT}


@dataclass(frozen=True, slots=True)
class PreferenceRecord:
    """What one annotator said of two candidates of one reference, as they were shown.

    `annotator` is the name that an account may have, the program's before the number it gave.
    `judgement` is of the overall quality: 1 left is better, 0 equal, -1 right is. `error_tags`
    have `tag` (a code of the typology), `side` (left or right) and, where a span was marked,
    `start` and `end` in code points of that candidate. `other_errors` are the sides said to have
    an error that has no tag; `highlights` counts marks that nobody made. Times know their zone.
    `fields` is the whole item as JSON text, keys in its order, with null for the three texts.
    """

    annotation: int
    annotator: str
    reference_claims: str
    left: str
    right: str
    judgement: int
    created_at: datetime
    updated_at: datetime
    ipc: str = ""
    error_tags: tuple[dict[str, Any], ...] = ()
    left_comment: str = ""
    right_comment: str = ""
    highlights: int = 0
    other_errors: tuple[str, ...] = ()
    fields: str = "{}"

    @property
    def comment(self) -> str:
        """What was written: of one side as it was written, of both with the side before each."""
        left = self.left_comment or self._undescribed(LEFT)
        right = self.right_comment or self._undescribed(RIGHT)
        return f"Left: {left}\nRight: {right}" if left and right else left or right

    def turned(self) -> "PreferenceRecord":
        """Return the same preference with the two sides changed about."""
        return replace(
            self,
            left=self.right,
            right=self.left,
            judgement=-self.judgement,
            left_comment=self.right_comment,
            right_comment=self.left_comment,
            other_errors=tuple(_TURNED[side] for side in self.other_errors),
            error_tags=tuple(tag | {"side": _TURNED[tag["side"]]} for tag in self.error_tags),
        )

    def _undescribed(self, side: str) -> str:
        is_named = side in self.other_errors
        return f"Another error of the {side} candidate, not described." if is_named else ""
