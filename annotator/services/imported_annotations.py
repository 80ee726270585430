"""Writes of the items of a Label Studio export as they are, to be given back unchanged."""

from collections.abc import Callable, Sequence
from itertools import count
from uuid import UUID

from django.db.models import Max

from annotator.models import Campaign, ImportedAnnotation
from annotator.refusals import Refused
from annotator.services.imported_preferences import batches
from annotator.services.imported_texts import Statement

# The reference, the left and the right candidate, and the comparison where there is one.
Rows = tuple[UUID, UUID, UUID, UUID | None]
RENEWED = ("left", "right", "comparison", "updated_at", "fields")


class AnnotationLedger:
    """Keeps statements by the number of their annotation: new ones are added, newer ones replace.

    `rows_of` says where the texts of a statement are, `fields_of` what its item said.
    """

    def __init__(
        self,
        campaign: Campaign,
        rows_of: Callable[[Statement], Rows],
        fields_of: Callable[[Statement], str],
    ) -> None:
        self.campaign = campaign
        self._rows_of, self._fields_of = rows_of, fields_of
        self.fresh = self.renewed = self.known = 0

    def store(self, statements: Sequence[Statement]) -> None:
        """Write what is new; raise Refused for a number that is known of another pair."""
        own = ImportedAnnotation.objects.filter(campaign=self.campaign)
        last = own.aggregate(last=Max("position"))["last"] or 0
        positions = count(last + 1)
        for batch in batches(statements):
            found = own.filter(annotation__in=[one.said.annotation for one in batch])
            stored = {row.annotation: row for row in found}
            fresh, renewed = [], []
            for statement in batch:
                row = stored.get(statement.said.annotation)
                if row is None:
                    fresh.append(self._new(statement, next(positions)))
                elif self._renew(row, statement):
                    renewed.append(row)
            ImportedAnnotation.objects.bulk_create(fresh)
            ImportedAnnotation.objects.bulk_update(renewed, RENEWED)
            self.fresh += len(fresh)
            self.renewed += len(renewed)
            self.known += len(batch) - len(fresh) - len(renewed)

    def _new(self, statement: Statement, position: int) -> ImportedAnnotation:
        reference, left, right, comparison = self._rows_of(statement)
        return ImportedAnnotation(
            campaign=self.campaign,
            annotation=statement.said.annotation,
            position=position,
            reference_id=reference,
            left_id=left,
            right_id=right,
            comparison_id=comparison,
            updated_at=statement.said.updated_at,
            fields=self._fields_of(statement),
        )

    def _renew(self, row: ImportedAnnotation, statement: Statement) -> bool:
        """Have a newer statement take the place of a stored one; say whether it does."""
        reference, left, right, comparison = self._rows_of(statement)
        pair = {row.left_id, row.right_id}
        if row.reference_id != reference or pair != {left, right}:
            raise Refused(
                f"Annotation {row.annotation} is in this campaign with other texts. Two Label "
                "Studio servers may give one number twice: import the second into a campaign of "
                "its own."
            )
        if statement.said.updated_at <= row.updated_at:
            return False
        row.left_id, row.right_id, row.comparison_id = left, right, comparison
        row.updated_at = statement.said.updated_at
        row.fields = self._fields_of(statement)
        return True
