"""Writes of preferences: what an annotator says of a comparison, first and revised."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from annotator.clock import database_now
from annotator.models import Comparison, Preference, PreferenceRevision, User
from annotator.queries.comparisons import closed_because
from annotator.refusals import OutOfDate, Refused
from annotator.rubric import ALL_CRITERIA
from annotator.services import audit
from annotator.typology import MOST_TAGS, clean_tags

LONGEST_COMMENT: Final = 20_000
ANSWERS: Final = (1, 0, -1)
SIDES: Final = ("left", "right", "reference")


@transaction.atomic
def submit_preference(
    *,
    comparison_id: UUID,
    annotator: User,
    judgements: Mapping[str, int],
    comment: str = "",
    error_tags: Sequence[Any] | None = None,
    version: int = 0,
) -> Preference:
    """Store what an annotator says of a comparison: 1 left is better, 0 equal, -1 right is.

    `version` is the one that the person saw, 0 before the first; until the campaign closes a
    preference may be revised; every revision is kept.
    `error_tags` None leaves the tags as they are; a tag's side is left, right or reference. What
    is stored already, sent again, is the stored row unchanged. Raises Refused for bad values by
    field; OutOfDate when the campaign is closed, the annotator has recused themself from the
    reference, or another revision came between.
    """
    said: dict[str, Any] = _clean(judgements, comment)
    own = Comparison.objects.select_for_update(of=("self",), no_key=True).filter(
        annotator=annotator
    )
    comparison = own.select_related("campaign", "left__reference", "right").get(pk=comparison_id)
    stored = Preference.objects.filter(comparison=comparison).first()
    if error_tags is not None:
        said["error_tags"] = _clean_tags(comparison, error_tags)
    if stored and all(getattr(stored, name) == value for name, value in said.items()):
        return stored
    if reason := closed_because(comparison):
        raise OutOfDate(reason)
    if version != (stored.version if stored else 0):
        raise OutOfDate("This preference was changed elsewhere since you opened it.")
    return _revised(comparison, stored, said) if stored else _first(comparison, said)


def _first(comparison: Comparison, said: Mapping[str, Any]) -> Preference:
    now = database_now()
    row = Preference.objects.create(
        comparison=comparison,
        rubric_version=comparison.campaign.rubric_version,
        submitted_at=now,
        revised_at=now,
        **said,
    )
    _record(comparison, row, "preference.submitted")
    return row


def _revised(comparison: Comparison, stored: Preference, said: Mapping[str, Any]) -> Preference:
    for name, value in said.items():
        setattr(stored, name, value)
    stored.version += 1
    stored.revised_at = database_now()
    stored.save(update_fields=[*said, "version", "revised_at"])
    _record(comparison, stored, "preference.revised")
    return stored


def _record(comparison: Comparison, row: Preference, action: str) -> None:
    PreferenceRevision.objects.create(
        preference=row,
        number=row.version,
        made_at=row.revised_at,
        comment=row.comment,
        error_tags=row.error_tags,
        **row.judgements,
    )
    audit.record(
        actor=comparison.annotator_id,
        campaign=comparison.campaign,
        action=action,
        object_type="preference",
        object_id=row.pk,
        details={"version": row.version, "judgements": row.judgements},
    )


def _clean(judgements: Mapping[str, int], comment: str) -> dict[str, Any]:
    fields: dict[str, list[str]] = {}
    for name in ALL_CRITERIA:
        if name not in judgements:
            fields[name] = ["Choose left better, equal, or right better."]
        elif type(judgements[name]) is not int or judgements[name] not in ANSWERS:
            fields[name] = ["A preference is 1 (left better), 0 (equal) or -1 (right better)."]
    for name in sorted(set(judgements) - set(ALL_CRITERIA)):
        fields[name[:40]] = ["This rubric has no such criterion."]
    if len(comment) > LONGEST_COMMENT:
        fields["comment"] = [
            f"A comment may have {LONGEST_COMMENT:,} characters; this has {len(comment):,}."
        ]
    elif "\x00" in comment:
        fields["comment"] = ["The comment holds a NUL character."]
    if fields:
        raise Refused(" ".join(why for reasons in fields.values() for why in reasons), fields)
    return {**judgements, "comment": comment}


def _clean_tags(comparison: Comparison, sent: Sequence[Any]) -> list[dict[str, Any]]:
    """Return the tags as they are stored, duplicates dropped; `side` is left, right or reference.

    The typology knows one candidate: each tag is cleaned against the text of its own side.
    """
    texts = {
        "left": comparison.left.claims,
        "right": comparison.right.claims,
        "reference": comparison.left.reference.claims,
    }
    kept: list[dict[str, Any]] = []
    try:
        if not isinstance(sent, list | tuple) or len(sent) > MOST_TAGS:
            raise ValueError(f"Error tags are a list of at most {MOST_TAGS}.")
        for number, entry in enumerate(sent, start=1):
            tag = _clean_tag(number, entry, texts)
            kept += [] if tag in kept else [tag]
    except ValueError as error:
        raise Refused(str(error), {"error_tags": [str(error)]}) from error
    return kept


def _clean_tag(number: int, entry: Any, texts: Mapping[str, str]) -> dict[str, Any]:
    side = entry.get("side") if isinstance(entry, Mapping) else None
    if side not in SIDES:
        raise ValueError(f"Error tag {number}: side is {', '.join(SIDES)}.")
    alone = {**entry, "side": "candidate"}
    try:
        tag = clean_tags([alone], {"candidate": texts[side], "reference": ""})[0]
    except ValueError as error:
        reason = str(error).removeprefix("Error tag 1: ")
        raise ValueError(f"Error tag {number}: {reason}") from error
    return tag | {"side": side}
