"""Writes of preferences stated elsewhere, and of their items as they are: a file or nothing."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import count
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Max

from annotator import audit_log
from annotator.access.locks import lock_open_campaign
from annotator.accounts.services import create_user
from annotator.campaigns.members.services import grant_role
from annotator.comparisons.services import pair_key, revision_of
from annotator.formats.label_studio import PreferenceRecord
from annotator.imports.claims.services import CLOSED, ROWS, ImportCounts, import_claims
from annotator.imports.preferences.texts import ImportedTexts, Statement, statement_of
from annotator.models import (
    Campaign,
    ClaimImport,
    Comparison,
    ImportedAnnotation,
    Preference,
    PreferenceRevision,
    Role,
    User,
)
from core.errors import Refused

# The annotator, and the pair of candidates whichever way round.
Key = tuple[UUID, str]
# The left and the right candidate, as a statement has them.
Sides = tuple[UUID, UUID]
Entry = tuple[Key, tuple[Sides, PreferenceRecord]]


class PreferenceLedger:
    """Takes the records of a file one by one and stores at the end what they come to."""

    def __init__(self, campaign: Campaign, people: Mapping[str, User]) -> None:
        self.campaign = campaign
        self.people = people
        self.counts = dict.fromkeys(
            ("preferences", "revised_preferences", "known_preferences", "superseded"), 0
        )
        # Where each statement on a pair belongs, once it is stored.
        self.comparisons: dict[Key, UUID] = {}
        self._newest: dict[Key, tuple[Sides, PreferenceRecord]] = {}

    def key_of(self, sides: Sides, record: PreferenceRecord) -> Key:
        """Return whose statement on which pair a record is."""
        return self.people[record.annotator].pk, pair_key(*sides)

    def enter(self, sides: Sides, record: PreferenceRecord) -> None:
        """Hold a record unless a newer one of that annotator on that pair is held."""
        key = self.key_of(sides, record)
        held = self._newest.get(key)
        if held is not None:
            self.counts["superseded"] += 1
        if held is None or _age(held[1]) < _age(record):
            self._newest[key] = (sides, record)

    def store(self) -> None:
        """Write the kept records; what says the same as is stored changes nothing."""
        people = [user.pk for user in self.people.values()]
        theirs = Comparison.objects.filter(campaign=self.campaign, annotator__in=people)
        last = theirs.values_list("annotator").annotate(last=Max("position")).order_by()
        # The positions that are free next, by annotator.
        places = {pk: count(top + 1) for pk, top in (dict.fromkeys(people, 0) | dict(last)).items()}

        def by_time(entry: Entry) -> tuple[datetime, int]:
            _, (_, record) = entry
            return record.created_at, record.annotation

        there = theirs.select_related("preference")
        stored = {(row.annotator_id, row.pair): row for row in there}
        comparisons: list[Comparison] = []
        first: list[Preference] = []
        for key, (sides, record) in sorted(self._newest.items(), key=by_time):
            comparison = stored.get(key)
            # Of a new one Django would ask the database.
            preference = getattr(comparison, "preference", None) if comparison else None
            if comparison is None:
                comparison = Comparison(
                    campaign=self.campaign,
                    annotator_id=key[0],
                    left_id=sides[0],
                    right_id=sides[1],
                    pair=key[1],
                    position=next(places[key[0]]),
                )
                comparisons.append(comparison)
            self.comparisons[key] = comparison.pk
            turned = record if comparison.left_id == sides[0] else record.turned()
            if preference is None:
                first.append(
                    Preference(
                        comparison=comparison,
                        rubric_version=self.campaign.rubric_version,
                        submitted_at=turned.created_at,
                        revised_at=turned.updated_at,
                        **_preference_json(turned),
                    )
                )
            else:
                self._compare(preference, turned)
        Comparison.objects.bulk_create(comparisons, ROWS)
        Preference.objects.bulk_create(first, ROWS)
        PreferenceRevision.objects.bulk_create(map(revision_of, first), ROWS)
        self.counts["preferences"] = len(first)

    def _compare(self, stored: Preference, record: PreferenceRecord) -> None:
        fields = _preference_json(record)
        if all(getattr(stored, name) == value for name, value in fields.items()):
            self.counts["known_preferences"] += 1
        elif record.updated_at <= stored.revised_at:
            self.counts["superseded"] += 1
        else:
            for name, value in fields.items():
                setattr(stored, name, value)
            stored.version += 1
            stored.revised_at = record.updated_at
            stored.save(update_fields=[*fields, "version", "revised_at"])
            revision_of(stored).save()
            self.counts["revised_preferences"] += 1


def _age(record: PreferenceRecord) -> tuple[datetime, int]:
    return record.updated_at, record.annotation


def _preference_json(record: PreferenceRecord) -> dict[str, Any]:
    return {
        "overall_quality": record.judgement,
        "comment": record.comment,
        "error_tags": list(record.error_tags),
    }


# The reference, the left and the right candidate, and the comparison where there is one.
Rows = tuple[UUID, UUID, UUID, UUID | None]
RENEWED = ("left", "right", "comparison", "updated_at", "fields")


class AnnotationLedger:
    """Stores statements by the number of their annotation: new ones are added, newer ones replace.

    `rows_of` gives where the texts of a statement are.
    """

    def __init__(self, campaign: Campaign, rows_of: Callable[[Statement], Rows]) -> None:
        self.campaign = campaign
        self._rows_of = rows_of
        self.counts: dict[str, int] = {}

    def store(self, statements: Sequence[Statement]) -> None:
        """Write what is new; raise Refused for a number that is known of another pair."""
        own = ImportedAnnotation.objects.filter(campaign=self.campaign)
        last = own.aggregate(last=Max("position"))["last"] or 0
        positions = count(last + 1)
        stored = {row.annotation: row for row in own}
        fresh, renewed = [], []
        for statement in statements:
            row = stored.get(statement.record.annotation)
            if row is None:
                fresh.append(self._new(statement, next(positions)))
            elif self._renew(row, statement):
                renewed.append(row)
        ImportedAnnotation.objects.bulk_create(fresh, ROWS)
        ImportedAnnotation.objects.bulk_update(renewed, RENEWED, ROWS)
        self.counts = {
            "annotations": len(fresh),
            "renewed_annotations": len(renewed),
            "known_annotations": len(statements) - len(fresh) - len(renewed),
        }

    def _new(self, statement: Statement, position: int) -> ImportedAnnotation:
        reference, left, right, comparison = self._rows_of(statement)
        return ImportedAnnotation(
            campaign=self.campaign,
            annotation=statement.record.annotation,
            position=position,
            reference_id=reference,
            left_id=left,
            right_id=right,
            comparison_id=comparison,
            updated_at=statement.record.updated_at,
            fields=statement.record.fields,
        )

    def _renew(self, row: ImportedAnnotation, statement: Statement) -> bool:
        """Have a newer statement take the place of a stored one; return whether it does."""
        reference, left, right, comparison = self._rows_of(statement)
        pair = {row.left_id, row.right_id}
        if row.reference_id != reference or pair != {left, right}:
            raise Refused(
                f"Annotation {row.annotation} is in this campaign with other texts. Two Label "
                "Studio servers may give one number twice: import the second into a campaign of "
                "its own."
            )
        if statement.record.updated_at <= row.updated_at:
            return False
        row.left_id, row.right_id, row.comparison_id = left, right, comparison
        row.updated_at = statement.record.updated_at
        row.fields = statement.record.fields
        return True


@dataclass(frozen=True, slots=True)
class PreferenceCounts:
    """What an import of preferences did; every record is in one of the first five counts.

    `preferences` are new, `revised_preferences` have a newer statement in the file,
    `known_preferences` were there already, `superseded` are older than another statement of that
    annotator on that pair, and `same_text` are of two outputs with one text, of which none can be
    preferred. `annotators` counts new accounts, `other_errors` errors that have no tag and went
    into the comment, `highlights` marks that no annotator made. Every record is stored as it was
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

    The records are read to their end before anything is stored.
    `source` is the import that new claim sets come from.
    Equal texts are one reference, or one candidate of a reference, also where the campaign has
    them already under other ids. Annotators become accounts that nobody can sign in to. Of several
    statements of one annotator on one pair the newest counts. Sent again, nothing changes.
    Raises Refused when an annotator's name belongs to a person who can sign in, or an annotation's
    number to other texts, OutOfDate when the campaign is closed; nothing is stored then.
    """
    statements = list(map(statement_of, records))
    return _store(campaign, statements, may_train, imported_by, source)


@transaction.atomic
def _store(
    campaign: Campaign,
    statements: Sequence[Statement],
    may_train: bool,
    imported_by: User | None,
    source: ClaimImport | None,
) -> tuple[ImportCounts, PreferenceCounts]:
    campaign = lock_open_campaign(campaign.pk, CLOSED)
    comparable = [one for one in statements if one.is_comparable]
    texts = ImportedTexts(campaign)
    claims = import_claims(
        campaign=campaign,
        records=texts.references_of(statements),
        may_train=may_train,
        imported_by=imported_by,
        source=source,
    )
    names = {statement.record.annotator for statement in comparable}
    people, fresh = _people(campaign, names, imported_by)
    ledger = PreferenceLedger(campaign, people)
    annotations = _stored(campaign, statements, texts, ledger)
    counts = PreferenceCounts(
        **ledger.counts,
        **annotations.counts,
        same_text=len(statements) - len(comparable),
        annotators=fresh,
        highlights=sum(one.record.highlights for one in statements),
        other_errors=sum(len(one.record.other_errors) for one in statements),
    )
    audit_log.record_on(campaign, "preferences.imported", imported_by, **asdict(counts))
    return claims, counts


def _stored(
    campaign: Campaign,
    statements: Sequence[Statement],
    texts: ImportedTexts,
    ledger: PreferenceLedger,
) -> AnnotationLedger:
    """Store what the statements come to, and then each of them as it is."""
    candidates = texts.stored_candidates()

    def rows_of(statement: Statement) -> Rows:
        name, left, right = texts.names_of(statement)
        (reference, first), (_, second) = candidates[name, left], candidates[name, right]
        if not statement.is_comparable:
            return reference, first, second, None
        key = ledger.key_of((first, second), statement.record)
        return reference, first, second, ledger.comparisons[key]

    for statement in statements:
        if statement.is_comparable:
            name, left, right = texts.names_of(statement)
            sides = (candidates[name, left][1], candidates[name, right][1])
            ledger.enter(sides, statement.record)
    ledger.store()
    annotations = AnnotationLedger(campaign, rows_of)
    annotations.store(statements)
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
            # A file must not put an opinion into the mouth of somebody who works here.
            raise Refused(
                f"The account {name} can sign in, so no preferences of others are stored under it. "
                "Rename or deactivate it, with no password, and import again."
            )
        grant_role(user=user, campaign=campaign, role=Role.ANNOTATOR, granted_by=granted_by)
        people[name] = user
    return people, fresh
