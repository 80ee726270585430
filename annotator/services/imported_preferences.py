"""Writes of the comparisons and preferences of an import, held against those that are there."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import count, islice
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import Max

from annotator.formats.preference_records import PreferenceRecord
from annotator.models import Campaign, Comparison, Preference, PreferenceRevision, User
from annotator.services.comparisons import pair_key

T = TypeVar("T")
BATCH = 500
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
        self.fresh = self.revised = self.known = self.superseded = 0
        # Where each statement on a pair belongs, once it is stored.
        self.comparisons: dict[Key, UUID] = {}
        self._newest: dict[Key, tuple[Sides, PreferenceRecord]] = {}

    def key_of(self, sides: Sides, record: PreferenceRecord) -> Key:
        """Return whose statement on which pair a record is."""
        return self.people[record.annotator].pk, pair_key(*sides)

    def enter(self, sides: Sides, record: PreferenceRecord) -> None:
        """Keep a record unless a newer one of that annotator on that pair is kept."""
        key = self.key_of(sides, record)
        kept = self._newest.get(key)
        if kept is not None:
            self.superseded += 1
        if kept is None or _age(kept[1]) < _age(record):
            self._newest[key] = (sides, record)

    def store(self) -> None:
        """Write the kept records; what says the same as is stored changes nothing."""
        places = self._places()
        for batch in batches(sorted(self._newest.items(), key=_by_time)):
            self._store(batch, places)

    def _places(self) -> dict[UUID, Iterator[int]]:
        """Return the positions that are free next, by annotator."""
        of_people = Comparison.objects.filter(
            campaign=self.campaign, annotator__in=list(self.people.values())
        )
        last = of_people.values_list("annotator").annotate(last=Max("position")).order_by()
        tops = {user.pk: 0 for user in self.people.values()} | dict(last)
        return {pk: count(top + 1) for pk, top in tops.items()}

    def _store(self, batch: Sequence[Entry], places: Mapping[UUID, Iterator[int]]) -> None:
        stored = self._stored(batch)
        comparisons: list[Comparison] = []
        first: list[Preference] = []
        for key, (sides, record) in batch:
            comparison = stored.get(key)
            # Of a new one Django would ask the database.
            preference = getattr(comparison, "preference", None) if comparison else None
            if comparison is None:
                comparison = self._comparison(key, sides, next(places[key[0]]))
                comparisons.append(comparison)
            self.comparisons[key] = comparison.pk
            said = record if comparison.left_id == sides[0] else record.turned()
            if preference is None:
                first.append(self._preference(comparison, said))
            else:
                self._compare(preference, said)
        Comparison.objects.bulk_create(comparisons)
        Preference.objects.bulk_create(first)
        PreferenceRevision.objects.bulk_create(map(_revision, first))
        self.fresh += len(first)

    def _stored(self, batch: Sequence[Entry]) -> dict[Key, Comparison]:
        rows = Comparison.objects.filter(
            campaign=self.campaign,
            annotator__in={key[0] for key, _ in batch},
            pair__in={key[1] for key, _ in batch},
        )
        return {(row.annotator_id, row.pair): row for row in rows.select_related("preference")}

    def _comparison(self, key: Key, sides: Sides, position: int) -> Comparison:
        return Comparison(
            campaign=self.campaign,
            annotator_id=key[0],
            left_id=sides[0],
            right_id=sides[1],
            pair=key[1],
            position=position,
        )

    def _preference(self, comparison: Comparison, record: PreferenceRecord) -> Preference:
        return Preference(
            comparison=comparison,
            rubric_version=self.campaign.rubric_version,
            submitted_at=record.created_at,
            revised_at=record.updated_at,
            **_said(record),
        )

    def _compare(self, stored: Preference, record: PreferenceRecord) -> None:
        said = _said(record)
        if all(getattr(stored, name) == value for name, value in said.items()):
            self.known += 1
        elif record.updated_at <= stored.revised_at:
            self.superseded += 1
        else:
            for name, value in said.items():
                setattr(stored, name, value)
            stored.version += 1
            stored.revised_at = record.updated_at
            stored.save(update_fields=[*said, "version", "revised_at"])
            _revision(stored).save()
            self.revised += 1


def batches(rows: Iterable[T]) -> Iterator[list[T]]:
    """Yield rows by BATCH, so that no more of what is made of them is held at once."""
    left = iter(rows)
    while batch := list(islice(left, BATCH)):
        yield batch


def _age(record: PreferenceRecord) -> tuple[datetime, int]:
    return record.updated_at, record.annotation


def _by_time(entry: Entry) -> tuple[datetime, int]:
    record = entry[1][1]
    return record.created_at, record.annotation


def _said(record: PreferenceRecord) -> dict[str, Any]:
    return {
        "overall_quality": record.judgement,
        "comment": record.comment,
        "error_tags": list(record.error_tags),
    }


def _revision(row: Preference) -> PreferenceRevision:
    return PreferenceRevision(
        preference=row,
        number=row.version,
        made_at=row.revised_at,
        comment=row.comment,
        error_tags=row.error_tags,
        **row.judgements,
    )
