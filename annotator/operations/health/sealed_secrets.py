"""Every secret that is stored sealed: which key opens it, and how the key of today does."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.db import transaction
from django.db.models import QuerySet

from annotator.models import SecondFactor, Webhook
from annotator.operations.health.database import Finding, missing, ok, warning
from annotator.sealing import WrongKey, is_of_today, seal, unseal


@dataclass(frozen=True, slots=True)
class Sealed:
    """One kind of secret: its rows and column, whose each is, and what its loss means."""

    part: str
    rows: Callable[[], QuerySet[Any]]
    column: str
    owner: Callable[[Any], str]
    so: str
    or_else: str

    def state(self, row: Any) -> bool | None:
        """Return whether the key of today opens it, not an older one; None where none does."""
        sealed, owner = getattr(row, self.column), self.owner(row)
        if is_of_today(sealed, owner=owner):
            return True
        try:
            unseal(sealed, owner=owner)
        except WrongKey:
            return None
        return False


FACTORS: Final = Sealed(
    "second factors",
    SecondFactor.objects.all,
    "secret",
    lambda row: str(row.user_id),
    "their codes are refused",
    "reset them (reset_second_factor)",
)
WEBHOOKS: Final = Sealed(
    "webhooks",
    Webhook.objects.all,
    "secret",
    lambda row: str(row.pk),
    "they send nothing",
    "give them new secrets on the page of webhooks",
)
SEALED: Final = (FACTORS, WEBHOOKS)


def look_at_sealed() -> Iterator[Finding]:
    """Return whether all of each kind can be opened, and whether that takes an older key."""
    for kind in SEALED:
        states = [kind.state(row) for row in kind.rows().iterator()]
        if unopened := states.count(None):
            yield missing(
                kind.part,
                f"{unopened} were sealed under another SECRET_KEY: {kind.so}.",
                "Put the key of then into SECRET_KEY_FALLBACKS and run `manage.py "
                f"seal_second_factors`, or {kind.or_else}.",
            )
        elif older := states.count(False):
            yield warning(
                kind.part,
                f"{older} need a key of SECRET_KEY_FALLBACKS.",
                "Run `manage.py seal_second_factors`; after it the old key may go.",
            )
        else:
            yield ok(kind.part, "The SECRET_KEY of today opens all of them.")


@transaction.atomic
def seal_anew() -> dict[str, int]:
    """Seal what a fallback opens with the SECRET_KEY of today, so that the old key can go."""
    counts = {"sealed": 0, "unopened": 0}
    for kind in SEALED:
        rows = kind.rows().select_for_update(of=("self",), no_key=True).order_by("pk")
        for row in rows:
            state, owner = kind.state(row), kind.owner(row)
            if state is None:
                counts["unopened"] += 1
            elif not state:
                secret = unseal(getattr(row, kind.column), owner=owner)
                sealed = {kind.column: seal(secret, owner=owner)}
                type(row).objects.filter(pk=row.pk).update(**sealed)
                counts["sealed"] += 1
    return counts
