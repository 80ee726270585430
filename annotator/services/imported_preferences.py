"""Writes of the comparisons and preferences of an import, held against those that are there."""

from collections.abc import Mapping
from itertools import count
from typing import Any
from uuid import UUID

from django.db.models import Max

from annotator.formats.preference_records import PreferenceRecord
from annotator.models import Campaign, Candidate, Comparison, Preference, PreferenceRevision, User
from annotator.services.comparisons import pair_key
from annotator.services.imported_texts import Names

BATCH = 500


class PreferenceLedger:
    """Takes the records of a file one by one and stores at the end what they come to."""

    def __init__(
        self,
        campaign: Campaign,
        people: Mapping[str, User],
        candidates: Mapping[tuple[str, str], Candidate],
    ) -> None:
        self.campaign = campaign
        self.people = people
        self.candidates = candidates
        self.fresh = self.revised = self.known = self.superseded = 0
        self._newest: dict[tuple[UUID, str], tuple[Names, PreferenceRecord]] = {}

    def enter(self, names: Names, record: PreferenceRecord) -> None:
        """Keep a record unless a newer one of that annotator on that pair is kept."""
        left, right = self._sides(names)
        key = (self.people[record.annotator].pk, pair_key(left.pk, right.pk))
        kept = self._newest.get(key)
        if kept is not None:
            self.superseded += 1
        if kept is None or _age(kept[1]) < _age(record):
            self._newest[key] = (names, record)

    def store(self) -> None:
        """Write the kept records; what says the same as is stored changes nothing."""
        of_people = Comparison.objects.filter(
            campaign=self.campaign, annotator__in=list(self.people.values())
        )
        stored = {
            (row.annotator_id, row.pair): row for row in of_people.select_related("preference")
        }
        last = of_people.values_list("annotator").annotate(last=Max("position")).order_by()
        places = {pk: count(top + 1) for pk, top in last}
        comparisons: list[Comparison] = []
        first: list[Preference] = []
        for key, (names, record) in sorted(self._newest.items(), key=_by_time):
            comparison = stored.get(key)
            if comparison is None:
                place = next(places.setdefault(key[0], count(1)))
                comparison = self._comparison(key, names, place)
                comparisons.append(comparison)
            is_turned = comparison.left_id != self._sides(names)[0].pk
            said = record.turned() if is_turned else record
            preference = getattr(comparison, "preference", None)
            if preference is None:
                first.append(self._preference(comparison, said))
            else:
                self._compare(preference, said)
        Comparison.objects.bulk_create(comparisons, batch_size=BATCH)
        Preference.objects.bulk_create(first, batch_size=BATCH)
        PreferenceRevision.objects.bulk_create(map(_revision, first), batch_size=BATCH)
        self.fresh = len(first)

    def _sides(self, names: Names) -> tuple[Candidate, Candidate]:
        reference, left, right = names
        return self.candidates[reference, left], self.candidates[reference, right]

    def _comparison(self, key: tuple[UUID, str], names: Names, position: int) -> Comparison:
        left, right = self._sides(names)
        return Comparison(
            campaign=self.campaign,
            annotator_id=key[0],
            left=left,
            right=right,
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


def _age(record: PreferenceRecord) -> tuple[Any, int]:
    return record.updated_at, record.annotation


def _by_time(
    entry: tuple[tuple[UUID, str], tuple[Names, PreferenceRecord]],
) -> tuple[Any, int]:
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
