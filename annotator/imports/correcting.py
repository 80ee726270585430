"""What a person does about documents that were read: answers what is asked, corrects the text."""

from typing import Final

from django.db import transaction

from annotator.imports.documents import Choices
from annotator.imports.read_sets import drop_sets, sets_of
from annotator.imports.services import NOT_WAITING, queue_check, record
from annotator.models import ClaimImport, ReadClaimSet, User
from core.clock import database_now
from core.errors import OutOfDate, Refused
from patclaimeval.documents.claim_records import check_ids
from patclaimeval.documents.reading import ARCHIVE
from patclaimeval.limits import claim_set_problem
from patclaimeval.text_io.shapes import is_blank
from patclaimeval.text_io.streams import FormatError

BLANK_DRAFT: Final = "The draft shows nothing. Leave it empty where there is none."
OF_REFERENCES: Final = "A candidate has no draft; its reference may have one."
BLANK: Final = "No claims are left. Cancel the import if none of it is to be stored."


def check_choices(choices: Choices) -> None:
    """Raise Refused, by field, for ids that cannot be ids and for lines out of order."""
    for name, value in (
        ("reference_id", choices.reference_id),
        ("candidate_id", choices.candidate_id),
    ):
        try:
            if value:
                check_ids(value, "")
        except FormatError as error:
            why = error.sentence.replace("reference", name.partition("_")[0])
            raise Refused.at(name, why) from None
    if choices.candidate_id and not choices.reference_id:
        why = "Of which reference is this a candidate? Give its id, too."
        raise Refused.at("reference_id", why)
    first, last = choices.first, choices.last
    if first is not None and last is not None and last < first:
        why = "The claims cannot end before they begin."
        raise Refused.at("claims_to", why)


def answer_import(*, row: ClaimImport, choices: Choices, answered_by: User | None) -> None:
    """Have an import checked anew with other choices.

    The documents are read anew, and corrections given up, unless ids alone have changed. Raises
    Refused for choices that cannot be, OutOfDate where the import does not wait or is none of
    documents.
    """
    check_choices(choices)
    with transaction.atomic():
        waiting = _waiting(row)
        is_one = waiting.format != ARCHIVE
        if is_one and choices.renamed(Choices.of(waiting.choices)):
            sets_of(row).update(
                reference_id=choices.reference_id, candidate_id=choices.candidate_id
            )
        else:
            drop_sets(row)
        queue_check(row, choices=choices.as_values())
        record(row, "import.answered", answered_by)
    row.refresh_from_db()


def correct_claims(
    *,
    row: ClaimImport,
    number: int,
    claims: str,
    draft_claims: str | None = None,
    corrected_by: User | None,
) -> ReadClaimSet:
    """Put a text in the place of one that was read; the claim sets are checked anew.

    It answers what was asked about that claim set, also where nothing of the text is changed.
    `draft_claims` is the text before revision, "" for none and None where it stays as it is.
    Raises Refused for a text that cannot be claims, and for the draft of a candidate, OutOfDate
    where the import does not wait.
    """
    check_claims_text("claims", claims)
    if draft_claims:
        check_claims_text("draft_claims", draft_claims)
    with transaction.atomic():
        _waiting(row)
        one = sets_of(row).get(number=number)
        if draft_claims and one.candidate_id:
            raise Refused.at("draft_claims", OF_REFERENCES)
        one.claims = claims
        if draft_claims is not None:
            one.draft_claims = draft_claims
        one.edited_by = corrected_by
        one.edited_at = database_now()
        one.save(update_fields=["claims", "draft_claims", "edited_by", "edited_at"])
        queue_check(row)
        record(row, "import.corrected", corrected_by, number=number)
    row.refresh_from_db()
    return one


def _waiting(row: ClaimImport) -> ClaimImport:
    """Return an import of documents as it is now, locked; OutOfDate where there is none to change.

    That it waits to be confirmed is asked by who queues it.
    """
    found = ClaimImport.objects.select_for_update(no_key=True).get(pk=row.pk)
    if not sets_of(found).exists():
        raise OutOfDate(NOT_WAITING)
    return found


def check_claims_text(field: str, claims: str) -> None:
    """Raise Refused, by field, for a text that cannot be claims: blank, or larger than they are."""
    why = ""
    if is_blank(claims):
        why = BLANK if field == "claims" else BLANK_DRAFT
    elif problem := claim_set_problem(claims):
        why = f"The text has {problem}."
    if why:
        raise Refused.at(field, why)
