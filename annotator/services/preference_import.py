"""Writes of preferences stated elsewhere: a whole file into a campaign, or nothing."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from django.db import transaction

from annotator.formats.preference_records import PreferenceRecord
from annotator.models import Campaign, ClaimImport, Role, User
from annotator.refusals import Refused
from annotator.services import audit
from annotator.services.accounts import create_user
from annotator.services.claim_import import ImportCounts, import_claims
from annotator.services.imported_annotations import AnnotationLedger, Rows
from annotator.services.imported_preferences import PreferenceLedger
from annotator.services.imported_texts import ImportedTexts, Statement, Statements
from annotator.services.people import grant_role


@dataclass(frozen=True, slots=True)
class PreferenceCounts:
    """What an import of preferences did; every record is in one of the first five counts.

    `preferences` are new, `revised_preferences` have a newer statement in the file,
    `known_preferences` were there already, `superseded` are older than another statement of that
    annotator on that pair, and `same_text` are of two outputs with one text, of which none can be
    preferred. `annotators` counts new accounts, `other_errors` errors that have no tag and went
    into the comment, `highlights` marks that no annotator made. Every record is kept as it was
    written, too: `annotations` are new, `renewed_annotations` newer, `known_annotations` known.
    """

    preferences: int
    revised_preferences: int
    known_preferences: int
    superseded: int
    same_text: int
    annotators: int
    other_errors: int
    highlights: int
    annotations: int
    renewed_annotations: int
    known_annotations: int


def import_preferences(
    *,
    campaign: Campaign,
    records: Iterable[PreferenceRecord],
    may_train: bool = False,
    imported_by: User | None = None,
    source: ClaimImport | None = None,
) -> tuple[ImportCounts, PreferenceCounts]:
    """Store preferences on the overall quality with the claims and the annotators they are of.

    The records are read to their end before anything is stored; their texts are not held.
    `source` is the import that new claim sets come from.
    Equal texts are one reference, or one candidate of a reference, also where the campaign has
    them already under other ids. Annotators become accounts that nobody can sign in to. Of several
    statements of one annotator on one pair the newest counts. Sent again, nothing changes.
    Raises Refused when an annotator's name belongs to a person who can sign in, or an annotation's
    number to other texts, OutOfDate when the campaign is closed; nothing is stored then.
    """
    statements = Statements(records)
    try:
        return _store(campaign, statements, may_train, imported_by, source)
    finally:
        statements.shelf.close()


@transaction.atomic
def _store(
    campaign: Campaign,
    statements: Statements,
    may_train: bool,
    imported_by: User | None,
    source: ClaimImport | None,
) -> tuple[ImportCounts, PreferenceCounts]:
    # Serialises imports, so that the same file sent twice at once is stored once. Not its key:
    # people who rate meanwhile write rows that name the campaign.
    campaign = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    comparable = [one for one in statements.all if one.is_comparable]
    texts = ImportedTexts(campaign)
    claims = import_claims(
        campaign=campaign,
        records=texts.references_of(statements),
        may_train=may_train,
        imported_by=imported_by,
        source=source,
    )
    names = {statement.said.annotator for statement in comparable}
    people, fresh = _people(campaign, names, imported_by)
    ledger = PreferenceLedger(campaign, people)
    annotations = _stored(campaign, statements, texts, ledger)
    counts = PreferenceCounts(
        preferences=ledger.fresh,
        revised_preferences=ledger.revised,
        known_preferences=ledger.known,
        superseded=ledger.superseded,
        same_text=len(statements.all) - len(comparable),
        annotators=fresh,
        highlights=sum(one.said.highlights for one in statements.all),
        other_errors=sum(len(one.said.other_errors) for one in statements.all),
        annotations=annotations.fresh,
        renewed_annotations=annotations.renewed,
        known_annotations=annotations.known,
    )
    audit.record(
        actor=imported_by,
        campaign=campaign,
        action="preferences.imported",
        object_type="campaign",
        object_id=campaign.pk,
        details=asdict(counts),
    )
    return claims, counts


def _stored(
    campaign: Campaign, statements: Statements, texts: ImportedTexts, ledger: PreferenceLedger
) -> AnnotationLedger:
    """Store what the statements come to, and then each of them as it is."""
    candidates = texts.stored_candidates()

    def rows_of(statement: Statement) -> Rows:
        name, left, right = texts.names_of(statement)
        (reference, first), (_, second) = candidates[name, left], candidates[name, right]
        if not statement.is_comparable:
            return reference, first, second, None
        key = ledger.key_of((first, second), statement.said)
        return reference, first, second, ledger.comparisons[key]

    for statement in statements.all:
        if statement.is_comparable:
            name, left, right = texts.names_of(statement)
            sides = (candidates[name, left][1], candidates[name, right][1])
            ledger.enter(sides, statement.said)
    ledger.store()
    annotations = AnnotationLedger(
        campaign, rows_of, lambda statement: statements.shelf.get(statement.fields)
    )
    annotations.store(statements.all)
    return annotations


def _people(
    campaign: Campaign, names: set[str], granted_by: User | None
) -> tuple[dict[str, User], int]:
    """Return the annotators by name, and how many accounts are new."""
    people: dict[str, User] = {}
    fresh = 0
    for name in sorted(names):
        user = User.objects.filter(username__iexact=name).first()
        if user is None:
            user = create_user(username=name, password=None)
            user.is_active = False
            user.save(update_fields=["is_active"])
            fresh += 1
        elif user.is_active or user.has_usable_password():
            # A file must not put words into the mouth of somebody who works here.
            raise Refused(
                f"The account {name} can sign in, so no preferences of others are stored under it. "
                "Rename or deactivate it, with no password, and import again."
            )
        grant_role(user=user, campaign=campaign, role=Role.ANNOTATOR, granted_by=granted_by)
        people[name] = user
    return people, fresh
