"""How annotators are called on pages that must not, or must not yet, name them."""

from collections.abc import Iterable
from typing import Any, Final

from django.utils.crypto import salted_hmac

from annotator.models import User

# Fewer annotators than this are not told apart, because who is one of them knows the rest.
LEAST_TOLD_APART: Final = 3

Names = dict[str, str]


def pseudonyms(ids: Iterable[str], key: object) -> Names:
    """Return "Annotator 1" and so on by user id, in an order that only the secret key explains.

    The same key gives the same numbers as long as nobody joins; another key gives others, so that
    two lists cannot be joined.
    """

    def place(pk: str) -> str:
        return salted_hmac("annotator.names", f"{key}:{pk}", algorithm="sha256").hexdigest()

    return {pk: f"Annotator {number}" for number, pk in enumerate(sorted(ids, key=place), start=1)}


def user_names(ids: Iterable[str]) -> Names:
    """Return the user names by id."""
    rows = User.objects.filter(pk__in=list(ids)).values_list("pk", "username")
    return {str(pk): name for pk, name in rows}


def renamed(value: Any, names: Names) -> Any:
    """Return stored figures with names in place of ids; a person without a name is left out."""
    if isinstance(value, list):
        return [renamed(one, names) for one in value if not _is_nameless(one, names)]
    if isinstance(value, dict):
        return {key: _renamed(key, one, names) for key, one in value.items()}
    return value


# Where stored figures hold the id of a user, and where they hold nobody's.
PEOPLE: Final = frozenset({"annotator", "first", "second"})
NOBODYS: Final = frozenset({"figures", "plan", "histogram"})


def _renamed(key: str, one: Any, names: Names) -> Any:
    if key in PEOPLE:
        return names.get(one, one)
    # Large results are mostly numbers: what cannot hold a person is not looked through.
    return renamed(one, names) if isinstance(one, list | dict) and key not in NOBODYS else one


def _is_nameless(one: Any, names: Names) -> bool:
    """Say whether it is about somebody who has no name here; None stands for all together."""
    if not isinstance(one, dict):
        return False
    ids = [one[key] for key in PEOPLE & one.keys()]
    return any(pk is not None and pk not in names for pk in ids)
