"""What every template may know."""

from django.http import HttpRequest


def house(request: HttpRequest) -> dict[str, object]:
    """Give the navigation of the signed-in person."""
    return {}
