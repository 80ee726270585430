"""In which language the rows of a report are, and what their records say otherwise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from core.languages import LATIN, is_other, language_of, pair_language
from scoring.agreement.ceiling import Columns

if TYPE_CHECKING:
    from scoring.reports.inputs import ReportRow, Text

NO_LANGUAGE: Final = "No item says in which language its texts are."


@dataclass(slots=True)
class RowLanguages:
    """The language of each distinct text and pair, decided once."""

    texts: dict[tuple[str, str], str] = field(default_factory=dict)
    pairs: dict[tuple[str, str, str], bool] = field(default_factory=dict)
    others: dict[tuple[str, str], bool] = field(default_factory=dict)

    def of(self, row: ReportRow) -> str:
        key = (row.reference.sha256, row.language)
        if key not in self.texts:
            self.texts[key] = language_of(row.reference.content, row.language)
        return self.texts[key]

    def groups(self, rows: Sequence[ReportRow]) -> Columns | str:
        """Return the language of each row; a sentence where all are in one that no record names."""
        found = [self.of(row) for row in rows]
        is_one = len({"en" if language == LATIN else language for language in found}) == 1
        if is_one and not any(row.language for row in rows):
            return NO_LANGUAGE
        return [found] if any(found) else NO_LANGUAGE

    def is_recorded_otherwise(self, row: ReportRow) -> bool:
        key = (row.reference.sha256, row.language)
        if key not in self.others:
            self.others[key] = is_other(row.reference.content, row.language)
        return self.others[key]

    def has_two(self, row: ReportRow) -> bool:
        return any(self._are_two(row, candidate) for candidate in (row.b, row.c))

    def _are_two(self, row: ReportRow, candidate: Text) -> bool:
        key = (row.reference.sha256, candidate.sha256, row.language)
        if key not in self.pairs:
            texts = (row.reference.content, candidate.content)
            self.pairs[key] = pair_language(*texts, row.language) is None
        return self.pairs[key]

    def check(self, rows: Sequence[ReportRow]) -> dict[str, Any]:
        """Count items by language, in two languages, and with no record or a wrong one."""
        return {
            "items": dict(Counter(map(self.of, rows)).most_common()),
            "two_scripts": sum(map(self.has_two, rows)),
            "unrecorded": sum(not row.language for row in rows),
            "otherwise": sum(self.is_recorded_otherwise(row) for row in rows),
        }
