"""What a report is made of: the rows of a version, the ratings behind it, groups, leaks."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, Final
from uuid import UUID

import numpy as np
from django.db.models import QuerySet

from annotator.access.scopes import pseudonyms
from annotator.models import Candidate, Reference, Ruling
from annotator.rating_values import ruled_points, settled_value
from annotator.records import rating_admins
from annotator.typology import tag_of
from patclaimeval.agreement.ceiling import Columns, Evidence, Overlap
from patclaimeval.agreement.items import Integers, collapse_spaces
from patclaimeval.agreement.transitive_labels import Comparison, implied_labels
from patclaimeval.claims.languages import LATIN, is_other, language_of, pair_language
from patclaimeval.rubric import ALL_CRITERIA, SCORE_COLUMNS, unit_of
from patclaimeval.text_io.text import text_sha256
from scoring.access.scopes import read_rows
from scoring.datasets.versions.queries import Filter, count_rows
from scoring.models import DatasetVersion, UsedRating
from scoring.quadruplets import SPLIT_NAMES, TRAIN, VALIDATION, DatasetRow, count_violations
from scoring.reports.scorers import LABELS, scorer_label


def admins_behind(version: DatasetVersion) -> tuple[UUID, ...]:
    """Return the ids of the people who rate and administer the campaign of a version, today."""
    campaign = version.dataset.campaign
    return tuple(map(UUID, rating_admins(campaign))) if campaign is not None else ()


def ratings_by_admins(version: DatasetVersion) -> frozenset[str]:
    """Return the ids of the ratings of a version that admins gave; none for an imported one."""
    admins = admins_behind(version)
    if not admins:
        return frozenset()
    rows = UsedRating.objects.filter(version=version, rating__annotator__in=admins)
    return frozenset(map(str, rows.values_list("rating", flat=True)))


CandidateKey = tuple[str, str]
"""The ids of a reference and of one of its candidates."""
CANDIDATE: Final = ("rating__candidate__reference__reference_id", "rating__candidate__candidate_id")


@dataclass(frozen=True, slots=True)
class ReportRatings:
    """Who gave which candidate how much.

    `given` maps a candidate to each annotator's points as a whole number of 1 / `unit`; annotators
    are numbers from 1. `settled` are the points of a candidate, 0 to 10: the ruling that the
    labels follow from, else the mean. Ratings that were revised after the freeze are not the ones
    the labels follow from: they are `left_out`.
    """

    given: Mapping[CandidateKey, Mapping[int, int]]
    settled: Mapping[CandidateKey, float]
    annotators: int
    unit: int
    left_out: int


def report_ratings(
    version: DatasetVersion,
    criterion: str,
    adjudications: Collection[str],
    *,
    admins_counted: bool = False,
) -> ReportRatings:
    """Return the ratings that a version was frozen from; none for one that was imported.

    `adjudications` are the ids of those that its labels follow from. Without `admins_counted`,
    ratings of admins of the campaign are as if they were not.
    """
    of_version = _ratings_of(version, admins_counted=admins_counted)
    if not of_version.exists():
        return ReportRatings({}, {}, 0, 1, 0)
    used = of_version.filter(rating__revised_at__lte=version.created_at)
    numbers = _numbers(of_version, version)
    given: defaultdict[CandidateKey, dict[int, int]] = defaultdict(dict)
    column = dict(zip(ALL_CRITERIA, SCORE_COLUMNS, strict=True))[criterion]
    rows = used.values_list(*CANDIDATE, "rating__annotator", f"rating__{column}")
    count = 0
    for reference_id, candidate_id, annotator, points in rows.iterator():
        given[reference_id, candidate_id][numbers[annotator]] = points
        count += 1
    unit = unit_of(criterion)
    ruled = _ruled(version, criterion, adjudications)
    settled: dict[CandidateKey, float] = {}
    for key, one in given.items():
        value = settled_value([Fraction(units, unit) for units in one.values()], ruled.get(key))
        assert value is not None, "a candidate here has a rating"
        settled[key] = float(value)
    return ReportRatings(given, settled, len(numbers), unit, of_version.count() - count)


def _ratings_of(version: DatasetVersion, *, admins_counted: bool) -> QuerySet[UsedRating]:
    rows = UsedRating.objects.filter(version=version)
    return rows if admins_counted else rows.exclude(rating__annotator__in=admins_behind(version))


def _numbers(used: QuerySet[UsedRating], version: DatasetVersion) -> dict[UUID, int]:
    """Number the annotators of a version from 1, in an order that reveals nothing of them."""
    ids = used.order_by().values_list("rating__annotator", flat=True).distinct()
    found = {str(pk): pk for pk in ids}
    names = pseudonyms(found, f"{version.pk} report")
    return {found[pk]: number for number, pk in enumerate(names, start=1)}


def _ruled(
    version: DatasetVersion, criterion: str, adjudications: Collection[str]
) -> dict[CandidateKey, Fraction]:
    rows = Ruling.objects.filter(
        adjudication__made_at__lte=version.created_at,
        candidate__campaign=version.dataset.campaign_id,
    ).values_list(
        *("adjudication", "candidate__reference__reference_id", "candidate__candidate_id", "scores")
    )
    return {
        (reference_id, candidate_id): ruled_points(scores)[criterion]
        for adjudication, reference_id, candidate_id, scores in rows
        if str(adjudication) in adjudications and criterion in scores
    }


ALL_SPLITS = "all"
REPORT_EVERY = 1000
NO_TRAINING_LABELS = "No training label is outside these items, so none can imply one of them."


@dataclass(frozen=True, slots=True)
class Text:
    """A claim set: its content, its digest, and the digest of it with white space folded."""

    content: str
    sha256: str
    folded: str

    @classmethod
    def of(cls, content: str) -> "Text":
        return cls(content, text_sha256(content), text_sha256(collapse_spaces(content)))


@dataclass(frozen=True, slots=True)
class ReportRow:
    """A labelled quadruplet of the report; `y` maps the report's criterion to its label.

    `number` is its number in its version, from 1.
    """

    number: int
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
    `implied` of the rows' labels follow from training labels; None with a reason where that shows
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


def labels_in_split(version: DatasetVersion, criterion: str, split: str) -> int:
    """Count the quadruplets with a label, by the index of the version: no text is read."""
    wanted = Filter("" if split == ALL_SPLITS else split, criterion)
    return count_rows(version, wanted)


def report_rows(
    version: DatasetVersion,
    criterion: str,
    split: str,
    on_progress: Callable[[int], None] = lambda count: None,
    *,
    admins_counted: bool = False,
) -> ReportRows:
    """Read the labelled rows of a split, and of the others what leaks between them.

    `on_progress` gets, every thousand rows, how many were read, and may raise to stop.
    Raises StoredFileDamaged when the stored file is missing or changed.
    """
    # A text of many rows is one string.
    text = cache(Text.of)
    rows: list[ReportRow] = []
    of_admins, by_admins = ratings_by_admins(version), 0
    training: list[Comparison] = []
    splits_of: defaultdict[str, set[str]] = defaultdict(set)
    for number, row in enumerate(read_rows(version)):
        if number % REPORT_EVERY == 0:
            on_progress(number)
        texts = text(row.reference), text(row.b), text(row.c)
        for one in texts:
            splits_of[one.folded].add(row.split)
        if criterion not in row.y:
            continue
        if split in (ALL_SPLITS, row.split):
            rests_on_admin = not of_admins.isdisjoint(row.provenance.get("ratings") or ())
            by_admins += rests_on_admin
            if rests_on_admin and not admins_counted:
                continue
            rows.append(_row(row, texts, criterion, number + 1))
        elif row.split in (TRAIN, VALIDATION):
            training.append(_comparison(texts, row.annotator, row.y[criterion]))
    triples = count_violations(rows, criterion)
    asked = [
        _comparison((row.reference, row.b, row.c), row.annotator, row.y[criterion]) for row in rows
    ]
    folded = {one.folded for row in rows for one in (row.reference, row.b, row.c)}
    # Of each distinct text that stands in several splits, in which it stands.
    shared = [splits_of[key] for key in folded if len(splits_of[key]) > 1]
    return ReportRows(
        rows=rows,
        by_admins=by_admins,
        triads=triples.triples,
        violations=triples.violations,
        implied=implied_labels(training, asked) if training else None,
        implied_reason="" if training else NO_TRAINING_LABELS,
        shared=len(shared),
        shared_with=tuple(
            name for name in SPLIT_NAMES if any(name in found for found in shared) and name != split
        ),
    )


def _row(row: DatasetRow, texts: tuple[Text, Text, Text], criterion: str, number: int) -> ReportRow:
    reference, b, c = texts
    return ReportRow(
        number=number,
        id=row.id,
        reference_id=row.reference_id,
        reference=reference,
        b=b,
        c=c,
        b_id=row.b_id,
        c_id=row.c_id,
        y={criterion: row.y[criterion]},
        annotator=row.annotator,
        ipc=str(row.extras.get("ipc", "")),
        language=str(row.extras.get("language", "")),
        adjudication_ids=tuple(row.provenance.get("adjudications") or ()),
    )


def _comparison(texts: tuple[Text, Text, Text], annotator: str, y: int) -> Comparison:
    reference, b, c = (text.folded for text in texts)
    return Comparison((reference, annotator), b, c, y)


SYSTEMS_HIDDEN: Final = "Systems are hidden until the campaign closes."
NO_SYSTEMS: Final = "It is not known which system made a candidate of this dataset."
NO_LANGUAGE: Final = "No item says in which language its texts are."
NO_IPC: Final = "No item says which IPC section its reference is of."
IPC_SECTIONS: Final = "ABCDEFGH"
Groups = Columns | str


def evidence_of(
    version: DatasetVersion,
    criterion: str,
    read: ReportRows,
    names: Sequence[str],
    *,
    has_systems: bool,
    admins_counted: bool = False,
) -> Evidence:
    """Gather what is known of the rows of a report and of its scorers, nobody by name."""
    ruled = {one for row in read.rows for one in row.adjudication_ids}
    languages, counted = _languages(read.rows)
    sections = [row.ipc.strip()[:1].upper() for row in read.rows]
    ratings = report_ratings(version, criterion, ruled, admins_counted=admins_counted)
    return Evidence(
        groups={
            "system": _systems(version, read.rows, has_systems=has_systems),
            "ipc": _groups([one if one in IPC_SECTIONS else "" for one in sections], NO_IPC),
            "language": languages,
        },
        points=_points(read.rows, ratings),
        overlap=_overlap(version, read.rows, ratings),
        checks={
            **_checks(read, ratings, admins_counted=admins_counted),
            "languages": counted,
        },
        labels={name: scorer_label(name) for name in (*LABELS, *names)},
    )


def _languages(rows: Sequence[ReportRow]) -> tuple[Groups, dict[str, Any]]:
    """Return the language of each row, or why there is none, and what the records say otherwise.

    The second counts items by language, in two languages, and with no record or a wrong one.
    """
    language, is_wrong, of_pair = cache(language_of), cache(is_other), cache(pair_language)
    found = [language(row.reference.content, row.language) for row in rows]
    two = [
        any(
            of_pair(row.reference.content, one.content, row.language) is None
            for one in (row.b, row.c)
        )
        for row in rows
    ]
    wrong = [is_wrong(row.reference.content, row.language) for row in rows]
    counted = {
        "items": dict(Counter(found).most_common()),
        "two_scripts": sum(two),
        "unrecorded": sum(not row.language for row in rows),
        "otherwise": sum(wrong),
    }
    is_one = len({"en" if one == LATIN else one for one in found}) == 1
    if (is_one and not any(row.language for row in rows)) or not any(found):
        return NO_LANGUAGE, counted
    return [found], counted


def drafts_of(version: DatasetVersion) -> dict[str, str]:
    """Return the drafts of the campaign's references, by the digest of the reference's text."""
    rows = Reference.objects.filter(campaign=version.dataset.campaign_id).exclude(draft_claims="")
    if version.dataset.campaign_id is None:
        return {}
    return dict(rows.order_by("-position").values_list("claims_sha256", "draft_claims"))


TAG: Final = "tag"


def tagged_items(
    version: DatasetVersion, rows: Sequence[ReportRow], *, admins_counted: bool = False
) -> dict[str, Integers]:
    """Return the places of the rows with a candidate that bears an error tag, by the tag's name.

    Tags are those of the ratings that `report_ratings` reads.
    """
    found: defaultdict[CandidateKey, set[str]] = defaultdict(set)
    for reference_id, candidate_id, tags in (
        _ratings_of(version, admins_counted=admins_counted)
        .filter(rating__revised_at__lte=version.created_at)
        .exclude(rating__error_tags=[])
        .values_list(*CANDIDATE, "rating__error_tags")
    ):
        named = (tag_of(one["tag"]) for one in tags)
        found[reference_id, candidate_id].update(tag.name for tag in named if tag is not None)
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        of_both = (found.get((row.reference_id, one), set()) for one in (row.b_id, row.c_id))
        for name in set().union(*of_both):
            places[name].append(place)
    return {name: np.array(places[name], dtype=np.int64) for name in sorted(places)}


def _systems(version: DatasetVersion, rows: Sequence[ReportRow], *, has_systems: bool) -> Groups:
    if version.dataset.campaign_id is None:
        return NO_SYSTEMS
    if not has_systems:
        return SYSTEMS_HIDDEN
    known = Candidate.objects.filter(campaign=version.dataset.campaign_id).exclude(system="")
    found: Mapping[CandidateKey, str] = {
        (reference_id, candidate_id): system
        for reference_id, candidate_id, system in known.values_list(
            "reference__reference_id", "candidate_id", "system"
        ).iterator()
    }
    columns = [
        [found.get((row.reference_id, name), "") for row, name in zip(rows, names, strict=True)]
        for names in ([row.b_id for row in rows], [row.c_id for row in rows])
    ]
    return columns if any(map(any, columns)) else NO_SYSTEMS


def _groups(names: Sequence[str], reason: str) -> Groups:
    return [names] if any(names) else reason


def _points(rows: Sequence[ReportRow], ratings: ReportRatings) -> dict[tuple[str, str], float]:
    found: dict[tuple[str, str], float] = {}
    for row in rows:
        for name, text in ((row.b_id, row.b), (row.c_id, row.c)):
            points = ratings.settled.get((row.reference_id, name))
            if points is not None:
                found[row.reference.content, text.content] = points
    return found


def _overlap(
    version: DatasetVersion, rows: Sequence[ReportRow], ratings: ReportRatings
) -> Overlap | None:
    """Return the ratings of the rows' candidates; each two candidates stand once."""
    if not ratings.given:
        return None
    pairs: dict[tuple[str, frozenset[str]], tuple[str, str]] = {}
    for row in rows:
        pairs.setdefault((row.reference_id, frozenset((row.b_id, row.c_id))), (row.b_id, row.c_id))
    references: dict[str, int] = {}
    candidates: dict[CandidateKey, int] = {}
    b, c, cluster = [], [], []
    for (reference_id, _), (one, two) in pairs.items():
        b.append(candidates.setdefault((reference_id, one), len(candidates)))
        c.append(candidates.setdefault((reference_id, two), len(candidates)))
        cluster.append(references.setdefault(reference_id, len(references)))
    given = [
        (number, annotator, points)
        for key, number in candidates.items()
        for annotator, points in sorted(ratings.given.get(key, {}).items())
    ]
    candidate, annotator, value = np.array(given, dtype=np.int64).reshape(-1, 3).T
    return Overlap(
        candidate=candidate,
        annotator=annotator,
        value=value,
        b=np.array(b, dtype=np.int64),
        c=np.array(c, dtype=np.int64),
        cluster=np.array(cluster, dtype=np.int64),
        tie_band=Fraction(str(version.card.get("tie_band", 0))) * ratings.unit,
    )


def _checks(read: ReportRows, ratings: ReportRatings, *, admins_counted: bool) -> dict[str, Any]:
    implied = None if read.implied is None else read.implied / len(read.rows)
    return {
        "transitivity": {"triads": read.triads, "violations": read.violations},
        "implied": {"share": implied, "reason": read.implied_reason},
        "shared_texts": {"texts": read.shared, "splits": list(read.shared_with)},
        "annotators": ratings.annotators or None,
        "revised_ratings": ratings.left_out,
        "by_admins": {"items": read.by_admins, "counted": admins_counted},
    }
