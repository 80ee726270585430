"""Writes of Word documents: each that leaves is on record, before its first byte."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from django.db import transaction

from annotator import audit_log
from annotator.adjudication.cases import conflicts_for
from annotator.adjudication.rulings.queries import AdjudicationPage
from annotator.models import (
    Adjudication,
    AssignmentStatus,
    Campaign,
    Candidate,
    Reference,
    User,
)
from annotator.rating.queries import GIVEN_UP, LEFT_SENTENCES, RatePage
from annotator.word_files.documents import claims_file, marks_file, ruling_file, signed_file
from core.clock import database_now
from core.errors import Forbidden, OutOfDate, Refused
from patclaimeval.claims.change_classes import Change
from patclaimeval.documents.word_writer import MEDIA_TYPE, UnwritableText, WordFile, write_docx
from patclaimeval.text_io.text import text_sha256

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_NAME: Final = 80
NOT_RULED: Final = "This candidate has no valid ruling; there is none to download."
NO_MARK_FILES: Final = (
    "This campaign gives annotators no files of their marks. Its admins can allow it in its rules."
)
NO_REFERENCE: Final = "This campaign has no such reference."
NO_CANDIDATE: Final = "This reference has no such candidate."


@dataclass(frozen=True, slots=True)
class WordDownload:
    """A document that is about to leave: its name, and its bytes."""

    name: str
    content: bytes
    media_type: str = MEDIA_TYPE


@transaction.atomic
def take_claims(
    *, campaign: Campaign, reference_id: str, candidate_id: str = "", taken_by: User
) -> WordDownload:
    """Return a reference of a campaign, or one of its candidates, by their ids.

    Raises Refused, by field, where there is none of the id, or its text cannot be written, and
    OutOfDate where it was erased.
    """
    reference = Reference.objects.filter(campaign=campaign, reference_id=reference_id).first()
    if reference is None:
        raise Refused.at("reference_id", NO_REFERENCE)
    candidate = None
    if candidate_id:
        own = Candidate.objects.filter(reference=reference, candidate_id=candidate_id)
        candidate = own.first()
        if candidate is None:
            raise Refused.at("candidate_id", NO_CANDIDATE)
    file = claims_file(reference, candidate)
    row = candidate or reference
    audit_log.record_on(row, "claims.taken", taken_by, sha256=row.claims_sha256)
    return _download(file, reference_id, candidate_id)


@transaction.atomic
def take_marks(*, page: RatePage, tracked: Collection[Change], taken_by: User) -> WordDownload:
    """Return one's own marks on a candidate.

    Raises Forbidden where the campaign gives annotators no such files, and OutOfDate where nothing
    of the candidate is theirs any more.
    """
    row = page.assignment
    if not row.campaign.has_mark_files:
        raise Forbidden(NO_MARK_FILES)
    status = AssignmentStatus.RECUSED if page.is_recused else AssignmentStatus(row.status)
    if status in GIVEN_UP:
        raise OutOfDate(LEFT_SENTENCES[status])
    file = marks_file(page, tracked, database_now())
    audit_log.record_on(row, "marks.taken", taken_by, changes=sorted(tracked))
    return _download(file, row.candidate.reference.reference_id, row.label)


@transaction.atomic
def take_ruling(
    *, page: AdjudicationPage, number: int, tracked: Collection[Change], taken_by: User
) -> WordDownload:
    """Return the ruling on the candidate of a place in a case, from 1, for who may look at it.

    Raises OutOfDate where it has no valid one.
    """
    part = page.parts[number - 1] if 1 <= number <= len(page.parts) else None
    case = conflicts_for(taken_by).filter(pk=page.conflict_id).first()
    if part is None or case is None:
        raise OutOfDate(NOT_RULED)
    candidate = case.other_candidate_id if part.is_other else case.candidate_id
    valid = Adjudication.objects.filter(rulings__candidate=candidate, rulings__is_valid=True)
    ruling = valid.first()
    if ruling is None or part.ruled is None:
        raise OutOfDate(NOT_RULED)
    file = ruling_file(page, part, ruling, tracked)
    _record_ruling(ruling, page.reference, tracked, taken_by)
    return _download(file, page.reference.reference_id, part.name, "ruling")


@transaction.atomic
def take_signed(
    *, ruling: Adjudication, number: int, tracked: Collection[Change], taken_by: User
) -> WordDownload:
    """Return the ruling on one of its candidates, from 1, for an admin of its campaign."""
    candidates = Candidate.objects.filter(rulings__adjudication=ruling)
    rows = list(candidates.select_related("reference").order_by("candidate_id"))
    if not 1 <= number <= len(rows):
        raise OutOfDate(NOT_RULED)
    candidate = rows[number - 1]
    file = signed_file(ruling, candidate, tracked)
    _record_ruling(ruling, candidate.reference, tracked, taken_by)
    return _download(file, candidate.reference.reference_id, candidate.candidate_id, "ruling")


def _record_ruling(
    ruling: Adjudication, reference: Reference, tracked: Collection[Change], taken_by: User
) -> None:
    details = {"changes": sorted(tracked)}
    audit_log.record_on(ruling, "ruling.taken", taken_by, reference.campaign_id, **details)


def _download(file: WordFile, *names: str) -> WordDownload:
    try:
        content = write_docx(file)
    except UnwritableText as error:
        raise Refused(str(error)) from error
    safe = "-".join(filter(None, (_UNSAFE.sub("-", name).strip("-.") for name in names)))
    # Ids in other scripts leave nothing: what is left is distinguished by a digest of all.
    stem = safe[:_LONGEST_NAME].rstrip("-.") or text_sha256("\n".join(names))[:12]
    return WordDownload(f"{stem}.docx", content)
