"""Writes of reading preferences: what the rate screen shows one person, and their keys."""

from collections.abc import Mapping
from typing import Final

from annotator.models import ReadingPreference, User
from annotator.refusals import Refused

AIDS: Final = ("aligned", "diff", "marks")


def show_aid(*, user: User, aid: str, is_shown: bool) -> ReadingPreference:
    """Show or hide one reading aid: the aligned rows, the word diff, or the marks."""
    if aid not in AIDS:
        raise Refused(f"There is no reading aid {aid[:40]!r}; there are {', '.join(AIDS)}.")
    row, _ = ReadingPreference.objects.update_or_create(
        user=user, defaults={f"shows_{aid}": is_shown}
    )
    return row


def save_keys(*, user: User, changes: Mapping[str, str], single_keys: bool) -> ReadingPreference:
    """Store a person's own keys; what is not named keeps its default."""
    row, _ = ReadingPreference.objects.update_or_create(
        user=user, defaults={"keys": dict(changes), "single_keys": single_keys}
    )
    return row
