"""Second factors: does the SECRET_KEY of today open what was sealed?"""

from collections.abc import Iterator
from typing import Final

from annotator.health.findings import Finding, missing, ok, warning
from annotator.models import SecondFactor
from annotator.sign_in.kept_secrets import WrongKey, is_of_today, unseal

PART: Final = "second factors"


def look_at_second_factors() -> Iterator[Finding]:
    """Say whether codes can be checked, and whether they need an older key for it."""
    older = unopened = 0
    for pk, sealed in SecondFactor.objects.values_list("pk", "secret"):
        if is_of_today(sealed, owner=str(pk)):
            continue
        try:
            unseal(sealed, owner=str(pk))
        except WrongKey:
            unopened += 1
        else:
            older += 1
    if unopened:
        yield missing(
            PART,
            f"{unopened} were sealed under another SECRET_KEY: their codes are refused.",
            "Put the key of then into SECRET_KEY_FALLBACKS and run `manage.py "
            "seal_second_factors`, or reset them.",
        )
    elif older:
        yield warning(
            PART,
            f"{older} need a key of SECRET_KEY_FALLBACKS.",
            "Run `manage.py seal_second_factors`; after it the old key may go.",
        )
    else:
        yield ok(PART, "The SECRET_KEY of today opens all of them.")
