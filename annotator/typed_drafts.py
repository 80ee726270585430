"""What is typed in a form and not submitted yet: stored by version, so no tab overwrites another.

The rate page and the compare page store their forms so, each in its own table.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar

from django.db.models import Model, QuerySet

from annotator.models import TypedDraft
from core.clock import database_now
from core.errors import OutOfDate, Refused

# A draft holds more than may be submitted, so that a comment that is too long is not lost.
LONGEST_TYPED: Final = 200_000
AnyDraft = TypeVar("AnyDraft", bound=TypedDraft)


class DraftMoved(OutOfDate):
    """Another tab saved in between; `draft` is what is stored now, None when it is gone."""

    def __init__(self, sentence: str, draft: TypedDraft | None) -> None:
        super().__init__(sentence)
        self.draft = draft

    @property
    def as_json(self) -> dict[str, Any]:
        """What a page's script needs to show both texts."""
        now = self.draft
        stored = {"typed": now.typed, "version": now.version} if now else {"typed": None}
        return {"sentence": self.sentence, "version": 0} | stored


def check_typed(typed: Mapping[str, Any]) -> None:
    """Raise Refused for what is too long for a draft or cannot be stored."""
    texts = [value for value in typed.values() if isinstance(value, str)]
    length = sum(map(len, texts))
    if length > LONGEST_TYPED:
        why = f"A draft may have {LONGEST_TYPED:,} characters; this has {length:,}."
        raise Refused.at("comment", why)
    if any("\x00" in text for text in texts):
        raise Refused("The text holds a NUL character.", {"comment": ["NUL character."]})


def store_typed(
    kind: type[AnyDraft], owner: Mapping[str, Model], *, version: int, **columns: Any
) -> AnyDraft:
    """Store the draft of its owner; `version` is the one that the page has seen, 0 for none.

    `owner` is the field of the table with its row, which the caller has locked. Raises DraftMoved
    when another save came between.
    """
    stored = kind._default_manager.filter(**owner).first()
    if version != (stored.version if stored else 0):
        raise DraftMoved("Another tab changed this draft.", stored)
    draft = stored or kind(**owner)
    for name, value in columns.items():
        setattr(draft, name, value)
    draft.version, draft.saved_at = version + 1, database_now()
    draft.save()
    return draft


def discard_typed(drafts: QuerySet[AnyDraft], version: int | None = None) -> None:
    """Forget the draft that the page shows; DraftMoved when another tab typed more into it."""
    shown = drafts if version is None else drafts.filter(version=version)
    if not shown.delete()[0] and (draft := drafts.first()):
        raise DraftMoved("Another tab changed this draft; it was not discarded.", draft)


def end_typed(drafts: QuerySet[AnyDraft], version: int | None) -> None:
    """Delete the draft that was submitted; OutOfDate when another tab has a newer one.

    `version` is None for a program, which knows of no drafts and ends none.
    """
    if version is None or drafts.filter(version=version).delete()[0]:
        return
    if drafts.exists():
        raise OutOfDate("Another tab has a newer draft of this form; both are shown here.")


def same_text(one: str, other: str) -> bool:
    """Return whether two texts differ in line ends only, which a form sends in its own way."""
    return one.replace("\r\n", "\n") == other.replace("\r\n", "\n")


def differs_from(draft: TypedDraft | None, sent: Mapping[str, str], names: Iterable[str]) -> bool:
    """Return whether a stored draft has another text in one of the fields than the page shows."""
    return draft is not None and any(
        not same_text(str(draft.typed.get(name, "")), sent[name]) for name in names
    )
