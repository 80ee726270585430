"""Writes of preferences stated elsewhere: a whole file into a campaign, or nothing."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from django.db import transaction

from annotator.formats.preference_records import PreferenceRecord
from annotator.models import AuditEvent, Campaign, Role, User
from annotator.refusals import Refused
from annotator.services.claim_import import ImportCounts, import_claims
from annotator.services.imported_preferences import PreferenceLedger
from annotator.services.imported_texts import ImportedTexts
from annotator.services.people import create_user, grant_role


@dataclass(frozen=True, slots=True)
class PreferenceCounts:
    """What an import of preferences did; every record is in one of the first five counts.

    `preferences` are new, `revised_preferences` have a newer statement in the file,
    `known_preferences` were there already, `superseded` are older than another statement of that
    annotator on that pair, and `same_text` are of two outputs with one text, of which none can be
    preferred. `annotators` counts new accounts, `other_errors` errors that have no tag and went
    into the comment, `highlights` marks that no annotator made and that are not kept.
    """

    preferences: int
    revised_preferences: int
    known_preferences: int
    superseded: int
    same_text: int
    annotators: int
    other_errors: int
    highlights: int


@transaction.atomic
def import_preferences(
    *,
    campaign: Campaign,
    records: Sequence[PreferenceRecord],
    may_train: bool = False,
    imported_by: User | None = None,
) -> tuple[ImportCounts, PreferenceCounts]:
    """Store preferences on the overall quality with the claims and the annotators they are of.

    Equal texts are one reference, or one candidate of a reference, also where the campaign has
    them already under other ids. Annotators become accounts that nobody can sign in to. Of several
    statements of one annotator on one pair the newest counts. Sent again, nothing changes.
    Raises Refused when an annotator's name belongs to a person who can sign in, OutOfDate when
    the campaign is closed; nothing is stored then.
    """
    # Serialises imports, so that the same file sent twice at once is stored once.
    campaign = Campaign.objects.select_for_update().get(pk=campaign.pk)
    comparable = [record for record in records if record.left != record.right]
    texts = ImportedTexts(campaign)
    claims = import_claims(
        campaign=campaign,
        records=texts.references_of(comparable),
        may_train=may_train,
        imported_by=imported_by,
    )
    people, fresh = _people(campaign, {record.annotator for record in comparable}, imported_by)
    ledger = PreferenceLedger(campaign, people, texts.stored_candidates())
    for record in comparable:
        ledger.enter(texts.names_of(record), record)
    ledger.store()
    counts = PreferenceCounts(
        preferences=ledger.fresh,
        revised_preferences=ledger.revised,
        known_preferences=ledger.known,
        superseded=ledger.superseded,
        same_text=len(records) - len(comparable),
        annotators=fresh,
        highlights=sum(record.highlights for record in records),
        other_errors=sum(len(record.other_errors) for record in records),
    )
    AuditEvent.objects.create(
        actor=imported_by,
        campaign=campaign,
        action="preferences.imported",
        object_type="campaign",
        object_id=str(campaign.pk),
        details=asdict(counts),
    )
    return claims, counts


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
