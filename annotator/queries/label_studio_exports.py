"""A campaign's preferences as items of a Label Studio export: those that came so, and our own."""

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

from django.db.models import OuterRef, Subquery

from annotator.formats.label_studio import TEXTS
from annotator.formats.label_studio_writer import StatedPair, item_of, revised
from annotator.models import Campaign, Comparison, ImportedAnnotation, Preference, User
from annotator.queries.export_names import ELSEWHERE, EXACT_BITS, Naming, number_of
from annotator.queries.rating_exports import some_references

ROWS_AT_ONCE: Final = 200
_SIDES: Final = {"left": "right", "right": "left"}
_TEXTS_OF: Final = ("reference", "left", "right")


def exported_items(campaign: Campaign, naming: Naming) -> Iterator[dict[str, Any]]:
    """Yield the annotations of a campaign's files in their order, then the preferences made here.

    An annotation is given back as it was written, but for the annotator's number, unless its
    preference was revised here since: then its answer, tags and comment are those of now.
    """
    yield from _Imported(campaign, naming).items()
    yield from _made_here(campaign, naming)


class _Imported:
    """The annotations that came in files."""

    def __init__(self, campaign: Campaign, naming: Naming) -> None:
        self.campaign = campaign
        self.naming = naming
        accounts = User.objects.filter(username__startswith=ELSEWHERE)
        self.people: dict[str, UUID] = dict(accounts.values_list("username", "pk"))

    def items(self) -> Iterator[dict[str, Any]]:
        own = ImportedAnnotation.objects.filter(campaign=self.campaign)
        newest = (
            ImportedAnnotation.objects.filter(comparison=OuterRef("comparison"))
            .order_by("-updated_at", "-annotation")
            .values("pk")[:1]
        )
        rows = own.annotate(newest=Subquery(newest)).select_related(
            *_TEXTS_OF, "comparison__preference"
        )
        for row in rows.order_by("position").iterator(ROWS_AT_ONCE):
            fields = json.loads(row.fields)
            texts = (getattr(row, side).claims for side in _TEXTS_OF)
            item = fields | dict(zip(TEXTS, texts, strict=True))
            item["annotator"] = self._number(row.comparison, item["annotator"])
            if row.comparison is not None and row.newest == row.pk:
                item = self._as_it_stands(row, row.comparison, item)
            yield item

    def _number(self, comparison: Comparison | None, number: int) -> int:
        # Of two equal texts there is no comparison, and perhaps no account.
        pk = comparison.annotator_id if comparison else self.people.get(f"{ELSEWHERE}{number}")
        return self.naming.number_elsewhere(number, pk)

    def _as_it_stands(
        self, row: ImportedAnnotation, comparison: Comparison, item: dict[str, Any]
    ) -> dict[str, Any]:
        preference = comparison.preference
        if preference.revised_at <= row.updated_at:
            return item
        is_turned = comparison.left_id != row.left_id
        return revised(item, _stated(preference, comparison, is_turned, item["annotator"]))


def _made_here(campaign: Campaign, naming: Naming) -> Iterator[dict[str, Any]]:
    for references in some_references(campaign):
        rows = (
            Comparison.objects.filter(
                left__reference__in=references, imported_annotations=None, preference__isnull=False
            )
            .select_related("preference", "left__reference", "right")
            .order_by("left__reference__position", "pair", "created_at", "pk")
        )
        for row in rows.iterator(ROWS_AT_ONCE):
            number = naming.number(row.annotator_id)
            yield item_of(_stated(row.preference, row, is_turned=False, annotator=number))


def _stated(
    preference: Preference, comparison: Comparison, is_turned: bool, annotator: int
) -> StatedPair:
    """Return a preference as the layout states one, turned where the item has the sides so."""
    left, right = comparison.left, comparison.right
    tags, judgement = preference.error_tags, preference.overall_quality
    if is_turned:
        left, right, judgement = right, left, -judgement
        tags = [tag | {"side": _SIDES.get(tag["side"], tag["side"])} for tag in tags]
    return StatedPair(
        task=int(sha256(comparison.pair.encode()).hexdigest(), 16) & ((1 << EXACT_BITS) - 1),
        annotation=number_of(preference.pk),
        annotator=annotator,
        ipc=left.reference.ipc,
        claims=left.reference.claims,
        left=left.claims,
        right=right.claims,
        judgement=judgement,
        error_tags=tags,
        comment=preference.comment,
        created_at=preference.submitted_at,
        updated_at=preference.revised_at,
    )
