"""What a report may say beyond agreement: systems, languages, points, annotators and leaks."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np

from annotator.models import Candidate, Reference
from scoring.agreement.evidence import Columns, Evidence
from scoring.agreement.left_out_annotator import Overlap
from scoring.models import DatasetVersion
from scoring.queries.reports.ratings import CandidateKey, ReportRatings, report_ratings
from scoring.queries.reports.rows import ReportRow, ReportRows
from scoring.queries.reports.scorer_labels import LABELS, scorer_label

SYSTEMS_HIDDEN: Final = "Systems are hidden until the campaign closes."
NO_SYSTEMS: Final = "It is not known which system made a candidate of this dataset."
NO_IPC: Final = "No item says which IPC section its reference is of."
NO_LANGUAGE: Final = "No item says in which language its texts are."
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
    ratings = report_ratings(version, criterion, ruled, admins_counted=admins_counted)
    return Evidence(
        groups={
            "system": _systems(version, read.rows, has_systems=has_systems),
            "ipc": _groups([_section(row.ipc) for row in read.rows], NO_IPC),
            "language": _groups([row.language for row in read.rows], NO_LANGUAGE),
        },
        points=_points(read.rows, ratings),
        overlap=_overlap(version, read.rows, ratings),
        checks=_checks(read, ratings, admins_counted=admins_counted),
        labels={name: scorer_label(name) for name in (*LABELS, *names)},
    )


def drafts_of(version: DatasetVersion) -> dict[str, str]:
    """Return the drafts of the campaign's references, by the digest of the reference's text."""
    rows = Reference.objects.filter(campaign=version.dataset.campaign_id).exclude(draft_claims="")
    if version.dataset.campaign_id is None:
        return {}
    return dict(rows.order_by("-position").values_list("claims_sha256", "draft_claims"))


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


def _section(ipc: str) -> str:
    letter = ipc.strip()[:1].upper()
    return letter if letter and letter in IPC_SECTIONS else ""


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
