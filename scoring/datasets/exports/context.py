"""The context of the references of a version, as a file that leaves beside its rows."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final

from annotator.context.queries import exported_context
from annotator.formats.context_lines import lines_of
from annotator.models import Reference
from core.database import one_moment
from scoring import files as scoring_files
from scoring.files import WrittenFile
from scoring.formats import rows as formats_rows
from scoring.formats.export_formats import ALL
from scoring.models import DatasetVersion

SUFFIX: Final = ".context.jsonl"


@dataclass(slots=True)
class ContextFile:
    """Description, abstract and drawings of the references of a version, or of one split of it.

    `counts` and `file` are filled by `write`; `file` stays None where no reference has context.
    """

    version: DatasetVersion
    split: str = ALL
    counts: Counter[str] = field(default_factory=Counter)
    file: WrittenFile | None = None

    def write(self, put: Callable[[Iterable[bytes]], WrittenFile]) -> dict[str, Any] | None:
        """Have `put` write the lines, and return what a card states of the file.

        None, and no file, where there are no lines. Raises PictureGone where the picture of a
        drawing is missing or changed.
        """
        pieces = self._pieces()
        if (first := next(pieces, None)) is None:
            return None
        self.file = file = put(chain([first], pieces))
        counts = {kind: self.counts[kind] for kind in ("references", "paragraphs", "drawings")}
        return {"file": file.name, "sha256": file.sha256, "bytes": file.bytes, **counts}

    def _pieces(self) -> Iterator[bytes]:
        with one_moment():
            for name, reference in self._references():
                if (context := exported_context(reference)) is None:
                    continue
                self.counts.update(
                    references=1,
                    paragraphs=len(context.paragraphs),
                    drawings=len(context.sheets),
                )
                yield from lines_of(name, context)

    def _references(self) -> Iterator[tuple[str, Reference]]:
        """Yield the references with context in the order of the rows, each once."""
        campaign = self.version.dataset.campaign
        with_context = Reference.objects.filter(campaign=campaign, has_context=True)
        waiting = dict(with_context.values_list("reference_id", "pk"))
        if campaign is None or not waiting:
            return
        for row in formats_rows.read(scoring_files.open_dataset(self.version.sha256)):
            if self.split not in (ALL, row.split):
                continue
            if pk := waiting.pop(row.reference_id, None):
                reference = Reference.objects.get(pk=pk)
                # A file made elsewhere may name anything: the id alone does not say whose it is.
                if reference.claims == row.reference:
                    yield row.reference_id, reference
