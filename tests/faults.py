"""Functions that fail, in the place of those that work."""

from collections.abc import Callable
from typing import Any, NoReturn


def raising(error: BaseException) -> Callable[..., Any]:
    """Return what raises the error, whatever it is called with."""

    def raise_it(*given: object, **more: object) -> NoReturn:
        raise error

    return raise_it
