"""Erasures: requested, agreed to, carried out on rows, files and pages; and corrected drafts."""

import logging
import shutil
import time
from collections.abc import Iterable
from typing import Any, Final
from uuid import UUID

from django.db import IntegrityError, connection, transaction

from annotator import audit_log
from annotator.access.locks import lock_open_campaign
from annotator.access.scopes import roles_of
from annotator.imports.draft_claims import CLOSED, edit_draft_claims
from annotator.imports.erasing import GONE, erase_texts, keyed_mark
from annotator.models import Campaign, Candidate, DraftClaimsEdit, Reference, Role, User
from annotator.operations.backups.erasure_record import (
    erased_references,
    record_path,
    recorded_erasures,
    remember_erasures,
)
from core import storage
from core.clock import database_now
from core.errors import Forbidden, OutOfDate, Refused
from core.shapes import LONGEST_REASON, check_text
from scoring import files as scoring_files
from scoring.datasets.versions.lineage import versions_with
from scoring.models import (
    AgreementReport,
    DatasetVersion,
    Erasure,
    ErasureStatus,
    MetricScore,
    ModelVersion,
    ScoreRequest,
    TrainingRun,
)
from scoring.training.runs.services import cancel_training

HELD = "The campaign is under legal hold: nothing of it may be erased until an admin ends the hold."


def ask_erasure(*, reference: Reference, asked_by: User, reason: str) -> Erasure:
    """Ask that a reference be erased; a site admin answers. Nothing is touched yet.

    Raises Forbidden for who is no admin of its campaign, Refused without a reason or under legal
    hold, OutOfDate when it was asked already.
    """
    campaign = reference.campaign
    if Role.ADMIN not in roles_of(asked_by, campaign):
        raise Forbidden("Admins of the campaign ask for an erasure.")
    given = reason.strip()
    check_text("reason", given, longest=LONGEST_REASON, empty="Give a reason.")
    try:
        with transaction.atomic():
            _refuse_held(campaign)
            row = Erasure.objects.create(
                campaign=campaign,
                reference=reference,
                asked_by=asked_by,
                asked_at=database_now(),
                reason=given,
            )
            _record(row, "asked", asked_by)
    except IntegrityError as error:
        raise OutOfDate("The erasure of this reference has already been requested.") from error
    return row


@transaction.atomic
def answer_erasure(*, erasure: Erasure, answered_by: User, agrees: bool) -> Erasure:
    """Agree to an erasure, which cannot be taken back, or decline it.

    Raises Forbidden for who is no site admin or has asked themselves, Refused under legal hold,
    OutOfDate when it was answered meanwhile.
    """
    if not answered_by.is_superuser:
        raise Forbidden("Site admins answer this.")
    row = (
        Erasure.objects.select_for_update(no_key=True, of=("self",))
        .select_related("campaign")
        .get(pk=erasure.pk)
    )
    if row.status != ErasureStatus.ASKED:
        raise OutOfDate("This was answered meanwhile.")
    if agrees and row.asked_by_id == answered_by.pk:
        raise Forbidden("An erasure takes two people: another site admin has to agree.")
    if agrees:
        _refuse_held(row.campaign)
    row.status = ErasureStatus.AGREED if agrees else ErasureStatus.DECLINED
    row.answered_by, row.answered_at = answered_by, database_now()
    row.save(update_fields=["status", "answered_by", "answered_at"])
    _record(row, "agreed" if agrees else "declined", answered_by)
    return row


def _refuse_held(campaign: Campaign) -> None:
    if Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk).has_legal_hold:
        raise Refused(HELD)


def _record(row: Erasure, act: str, actor: User) -> None:
    audit_log.record(
        actor=actor,
        campaign=row.campaign_id,
        action=f"erasure.{act}",
        object_type="reference",
        object_id=row.reference_id,
        details={"erasure": str(row.pk)},
    )


logger = logging.getLogger(__name__)
# What is shorter may stand in any sentence by chance; it is replaced where it stands alone.
SHORTEST_QUOTE: Final = 20
# The sweeper does this, and has leases to look after meanwhile.
WAIT_FOR_READERS_SECONDS: Final = 5


def carry_out_erasures() -> int:
    """Erase what was agreed to; return how many references. It may be killed and run anew."""
    done = 0
    agreed = Erasure.objects.filter(status=ErasureStatus.AGREED, campaign__has_legal_hold=False)
    for row in agreed.select_related("campaign"):
        if row.erased_at is None:
            if connection.vendor == "sqlite":
                with connection.cursor() as cursor:
                    cursor.execute("PRAGMA secure_delete=ON")
            _erase_rows(row.pk)
            row.refresh_from_db()
        _erase_files(row)
        if _clean_pages():
            _close(row.pk)
            done += 1
        else:
            logger.warning("erasure %s: the database is busy; cleaned at the next sweep", row.pk)
    return done


@transaction.atomic
def _erase_rows(pk: UUID) -> None:
    row = Erasure.objects.select_for_update(no_key=True, of=("self",)).get(pk=pk)
    # A version is stored under this lock: it is there already, or sees that the reference is gone.
    Campaign.objects.select_for_update(no_key=True).get(pk=row.campaign_id)
    reference = Reference.objects.select_for_update(no_key=True).get(pk=row.reference_id)
    versions = versions_with(reference)
    texts = [reference.claims, reference.draft_claims, reference.title]
    pairs = list(reference.candidates.values_list("claims", "claims_sha256", "candidate_id"))
    texts += [claims for claims, _, _ in pairs]
    quoted = {text for text in texts if text}
    names = {reference.reference_id}
    row.mark = keyed_mark(reference.claims)
    row.result = {
        "versions": sorted(str(pk) for pk in versions),
        "models": _mark_models(versions),
        "scores": _delete_scores(reference, [digest for _, digest, _ in pairs]),
        "score requests": _delete_requests(quoted),
        "reports": _scrub(versions, quoted, names),
    }
    row.result |= erase_texts(reference)
    row.erased_at = database_now()
    Reference.objects.filter(pk=reference.pk).update(erased_at=row.erased_at)
    row.reason = ""
    row.save(update_fields=["mark", "result", "erased_at", "reason"])
    audit_log.record(
        actor=row.answered_by_id,
        campaign=row.campaign_id,
        action="erasure.carried_out",
        object_type="reference",
        object_id=row.reference_id,
        details={"erasure": str(row.pk), "mark": row.mark},
    )


def _mark_models(versions: Iterable[UUID]) -> list[str]:
    """Mark the models that learned from these versions, and end the trainings on them."""
    for run in TrainingRun.objects.filter(
        dataset_version__in=versions, status__in=("queued", "running"), cancel_requested=False
    ):
        cancel_training(run=run)
    models = ModelVersion.objects.filter(run__dataset_version__in=versions)
    models.filter(retire_since=None).update(retire_since=database_now())
    return sorted(str(pk) for pk in models.values_list("pk", flat=True))


def _delete_scores(reference: Reference, digests: list[str]) -> int:
    """Delete the scores of its pairs, unless another reference has the same text."""
    others = Candidate.objects.exclude(reference=reference).filter(claims_sha256__in=digests)
    shared = set(others.values_list("claims_sha256", flat=True))
    own = MetricScore.objects.filter(candidate_sha256__in=set(digests) - shared)
    count = own.delete()[0]
    digest = reference.claims_sha256
    if not Reference.objects.exclude(pk=reference.pk).filter(claims_sha256=digest).exists():
        count += MetricScore.objects.filter(reference_sha256=digest).delete()[0]
    return count


def _delete_requests(quoted: set[str]) -> int:
    """Delete requests for scores that quote the reference; they end within the hour anyway."""
    count = 0
    for row in ScoreRequest.objects.iterator(chunk_size=50):
        texts = [row.reference_text, *row.candidate_texts]
        if any(word in text for word in quoted for text in texts):
            row.delete()
            count += 1
    return count


def _scrub(versions: Iterable[UUID], quoted: set[str], names: set[str]) -> int:
    """Take the reference out of the documents of reports and the cards of versions."""
    count = 0
    for report in AgreementReport.objects.filter(dataset_version__in=versions):
        report.result = redacted(report.result, quoted, names)
        report.save(update_fields=["result"])
        count += 1
    for version in DatasetVersion.objects.filter(pk__in=versions):
        version.card = redacted(version.card, quoted, names)
        version.save(update_fields=["card"])
    return count


def redacted(value: Any, quoted: set[str], names: set[str]) -> Any:
    """Return a document in which what quotes a text or is a name is replaced by a note."""
    if isinstance(value, str):
        quotes = any(text in value for text in quoted if len(text) >= SHORTEST_QUOTE)
        return GONE if quotes or value in quoted or value in names else value
    if isinstance(value, list):
        return [redacted(inner, quoted, names) for inner in value]
    if isinstance(value, dict):
        return {
            redacted(key, quoted, names): redacted(inner, quoted, names)
            for key, inner in value.items()
        }
    return value


def _erase_files(row: Erasure) -> None:
    """Delete the files of its versions, the state of trainings on them, and all caches.

    The record of erasures comes first: it is what a restore of an older backup is compared with.
    """
    remember_erasures(erased_references())
    for digest in _erase_copies(row):
        storage.delete(scoring_files.stored_name(digest))
    # Its freeze was killed before the row was there that would name it.
    scoring_files.remove_unnamed_datasets()
    scoring_files.remove_unnamed_from_bucket()


def erase_copies() -> int:
    """Delete what this host still has where another has carried an erasure out; return how many.

    The record of erasures shows which were carried out here.
    """
    done = recorded_erasures(record_path()) if record_path().exists() else {}
    rows = Erasure.objects.exclude(erased_at=None)
    new = [row for row in rows if str(row.reference_id) not in done]
    for row in new:
        _erase_copies(row)
    if new:
        remember_erasures(erased_references())
    return len(new)


def _erase_copies(row: Erasure) -> list[str]:
    """Delete what this host has of an erasure's versions; return their digests."""
    versions = DatasetVersion.objects.filter(pk__in=row.result["versions"])
    digests = list(versions.values_list("sha256", flat=True))
    for digest in digests:
        scoring_files.erase_copy(digest, (row.erased_at or database_now()).date())
    runs = TrainingRun.objects.filter(dataset_version__in=row.result["versions"])
    for key in runs.values_list("pk", flat=True):
        shutil.rmtree(scoring_files.runs_directory() / key.hex, ignore_errors=True)
    # By plain digests of texts, which could be guessed; what is needed is computed again.
    for path in scoring_files.cache_directory().iterdir():
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    return digests


def _clean_pages() -> bool:
    """Have the database give up the pages on which the texts lay; return whether it could."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # PostgreSQL would warn, leave each table as it is, and call it done.
            if not _may_write_anew(cursor):
                logger.warning("only the owner of the tables can end an erasure; see Two roles")
                return False
            if not _older_readers_are_gone(cursor):
                return False
            # Written anew: a plain VACUUM leaves the bytes in the holes of a page.
            cursor.execute("VACUUM (FULL)")
            cursor.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
            if cursor.fetchone()[0]:
                cursor.execute("CHECKPOINT")
            return True
        cursor.execute("VACUUM")
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (is_busy, *_) = cursor.fetchone()
        return not is_busy


def _older_readers_are_gone(cursor: Any) -> bool:
    """Wait for who began before: VACUUM leaves the rows that they may still see.

    Whoever writes in another database of the server counts as well.
    """
    cursor.execute("SELECT clock_timestamp()")
    (erased_before,) = cursor.fetchone()
    deadline = time.monotonic() + WAIT_FOR_READERS_SECONDS
    while True:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
            "AND xact_start < %s AND (backend_xid IS NOT NULL "
            "OR datname = current_database() AND backend_xmin IS NOT NULL)",
            [erased_before],
        )
        (count,) = cursor.fetchone()
        if not count or time.monotonic() >= deadline:
            return not count
        time.sleep(0.1)


def _may_write_anew(cursor: Any) -> bool:
    cursor.execute(
        "SELECT bool_and(pg_has_role(relowner, 'USAGE')) FROM pg_class "
        "WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace"
    )
    (owns,) = cursor.fetchone()
    return bool(owns)


@transaction.atomic
def _close(pk: UUID) -> None:
    row = Erasure.objects.select_for_update(no_key=True, of=("self",)).get(pk=pk)
    row.status, row.done_at = ErasureStatus.DONE, database_now()
    row.save(update_fields=["status", "done_at"])


FROZEN: Final = (
    "A dataset version was frozen with this reference, and reports on it compare with its draft: "
    "it stays as it is. Import the reference under a new id, with the draft that you want, and "
    "freeze a new version with that."
)


@transaction.atomic
def edit_unfrozen_draft(
    *, reference: Reference, draft_claims: str, reason: str, edited_by: User, seen: str = ""
) -> DraftClaimsEdit:
    """Change the draft of a reference; raises as `edit_draft_claims`, and OutOfDate once frozen."""
    # A freeze takes the same lock before it writes its version.
    lock_open_campaign(reference.campaign_id, CLOSED)
    if is_frozen(reference):
        raise OutOfDate(FROZEN)
    return edit_draft_claims(
        reference=reference,
        draft_claims=draft_claims,
        reason=reason,
        edited_by=edited_by,
        seen=seen,
    )


def is_frozen(reference: Reference) -> bool:
    """Return whether a dataset version holds the reference."""
    return bool(versions_with(reference))
