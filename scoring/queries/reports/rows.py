"""The rows of a version that a report is made of, each distinct text held once."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from annotator.formats.digests import text_sha256
from scoring.agreement.checks import fold
from scoring.agreement.transitive_labels import Comparison, implied_labels
from scoring.formats.rows import DatasetRow
from scoring.models import DatasetVersion
from scoring.queries.datasets import read_rows
from scoring.queries.quadruplets import index_of
from scoring.queries.reports.admins import ratings_by_admins
from scoring.splits import SPLIT_NAMES, TRAIN
from scoring.transitivity import count_violations

ALL_SPLITS = "all"
TELL_EVERY = 1000
NO_TRAINING_LABELS = "No training label is outside these items, so none can imply one of them."


@dataclass(frozen=True, slots=True)
class Text:
    """A claim set: its content, its digest, and the digest of it with white space folded."""

    content: str
    sha256: str
    folded: str

    @classmethod
    def of(cls, content: str) -> "Text":
        return cls(content, text_sha256(content), text_sha256(fold(content)))


@dataclass(frozen=True, slots=True)
class ReportRow:
    """A labelled quadruplet of the report; `y` maps the report's criterion to its label."""

    id: str
    reference_id: str
    reference: Text
    b: Text
    c: Text
    b_id: str
    c_id: str
    y: Mapping[str, int]
    annotator: str
    ipc: str
    language: str
    adjudication_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReportRows:
    """The rows of one split, and what is known of how they stand to the other splits.

    `by_admins` labelled items of the split rest on ratings of an admin of the campaign; as was
    asked, they are among the rows or left out.
    `implied` of the rows' labels follow from training labels; None with a reason where that says
    nothing. `shared` texts of these rows stand in the other splits `shared_with` too.
    """

    rows: list[ReportRow]
    by_admins: int
    triads: int
    violations: int
    implied: int | None
    implied_reason: str
    shared: int
    shared_with: tuple[str, ...]


@dataclass(slots=True)
class _Pool:
    """Texts and ids by content, so that a text of many rows is one string."""

    texts: dict[str, Text] = field(default_factory=dict)
    folded: dict[str, str] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    labels: dict[int, Mapping[str, int]] = field(default_factory=dict)

    def text(self, content: str) -> Text:
        digest = text_sha256(content)
        found = self.texts.get(digest)
        if found is None:
            found = self.texts[digest] = Text(content, digest, self.key(content))
        return found

    def key(self, content: str) -> str:
        """Return the digest of a text with white space folded, without holding the text."""
        digest = text_sha256(content)
        found = self.folded.get(digest)
        if found is None:
            found = self.folded[digest] = text_sha256(fold(content))
        return found

    def id(self, name: str) -> str:
        return self.ids.setdefault(name, name)

    def label(self, criterion: str, y: int) -> Mapping[str, int]:
        return self.labels.setdefault(y, {criterion: y})


def labels_in_split(version: DatasetVersion, criterion: str, split: str) -> int:
    """Count the quadruplets with a label, by the index of the version: no text is read."""
    return sum(
        split in (ALL_SPLITS, row.split_name) and row.label(criterion) is not None
        for row in index_of(version).records()
    )


def report_rows(
    version: DatasetVersion,
    criterion: str,
    split: str,
    tell: Callable[[int], None] = lambda count: None,
    *,
    admins_counted: bool = False,
) -> ReportRows:
    """Read the labelled rows of a split, and of the others what leaks between them.

    `tell` hears every thousand rows how many were read, and may raise to stop.
    Raises StoredFileDamaged when the stored file is missing or changed.
    """
    pool = _Pool()
    rows: list[ReportRow] = []
    of_admins, by_admins = ratings_by_admins(version), 0
    training: list[Comparison] = []
    splits_of: defaultdict[str, set[str]] = defaultdict(set)
    for number, row in enumerate(read_rows(version)):
        if number % TELL_EVERY == 0:
            tell(number)
        for content in (row.reference, row.b, row.c):
            splits_of[pool.key(content)].add(row.split)
        if criterion not in row.y:
            continue
        if split in (ALL_SPLITS, row.split):
            rests_on_admin = not of_admins.isdisjoint(row.provenance.get("ratings") or ())
            by_admins += rests_on_admin
            if rests_on_admin and not admins_counted:
                continue
            rows.append(_row(pool, row, criterion))
        elif row.split == TRAIN:
            keys = [pool.key(content) for content in (row.reference, row.b, row.c)]
            training.append(_comparison(keys, row.annotator, row.y[criterion]))
    triples = count_violations(rows, criterion)
    shared = _shared(rows, splits_of, split)
    return ReportRows(
        rows=rows,
        by_admins=by_admins,
        triads=triples.triples,
        violations=triples.violations,
        implied=_implied(rows, criterion, training) if training else None,
        implied_reason="" if training else NO_TRAINING_LABELS,
        shared=len(shared),
        shared_with=tuple(
            name for name in SPLIT_NAMES if any(name in found for found in shared) and name != split
        ),
    )


def _row(pool: _Pool, row: DatasetRow, criterion: str) -> ReportRow:
    return ReportRow(
        id=row.id,
        reference_id=pool.id(row.reference_id),
        reference=pool.text(row.reference),
        b=pool.text(row.b),
        c=pool.text(row.c),
        b_id=pool.id(row.b_id),
        c_id=pool.id(row.c_id),
        y=pool.label(criterion, row.y[criterion]),
        annotator=pool.id(row.annotator),
        ipc=pool.id(str(row.extras.get("ipc", ""))),
        language=pool.id(str(row.extras.get("language", ""))),
        adjudication_ids=tuple(pool.id(one) for one in row.provenance.get("adjudications") or ()),
    )


def _comparison(keys: list[str], annotator: str, y: int) -> Comparison:
    reference, b, c = keys
    return Comparison((reference, annotator), b, c, y)


def _implied(rows: list[ReportRow], criterion: str, training: list[Comparison]) -> int:
    asked = [
        _comparison(
            [row.reference.folded, row.b.folded, row.c.folded], row.annotator, row.y[criterion]
        )
        for row in rows
    ]
    return implied_labels(training, asked)


def _shared(rows: list[ReportRow], splits_of: Mapping[str, set[str]], split: str) -> list[set[str]]:
    """Return, of each distinct text that stands in several splits, in which it stands."""
    keys = {text.folded for row in rows for text in (row.reference, row.b, row.c)}
    return [splits_of[key] for key in keys if len(splits_of[key]) > 1]
