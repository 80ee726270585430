"""What is missing on this machine, and whether a worker of another one may have it."""

from collections.abc import Callable

from core.errors import Unreachable

Ask = Callable[[], bool]
_asks: list[Ask] = []


def register_elsewhere(ask: Ask) -> None:
    """Register a function that returns whether other machines work on the jobs, too."""
    _asks.append(ask)


def may_be_elsewhere() -> bool:
    """Return whether another machine may have what is missing on this one."""
    return any(ask() for ask in _asks)


def awaited(error: Exception) -> str:
    """Return what a job that ended in this error is to wait for; "" where waiting is useless."""
    if isinstance(error, Unreachable):
        return error.sentence
    if not (_is_missing_here(error) and may_be_elsewhere()):
        return ""
    if isinstance(error, ModuleNotFoundError):
        return f"The package {error.name} is not installed where this was tried."
    return str(error)


def wait_if_elsewhere(error: Exception) -> None:
    """Raise Unreachable in place of an error that another machine may not meet."""
    if sentence := awaited(error):
        raise Unreachable(sentence) from error


def _is_missing_here(error: BaseException | None) -> bool:
    """Return whether a package is missing, or a file from which one of our own errors came."""
    cause = error.__cause__ if error else None
    while cause is not None:
        if isinstance(cause, FileNotFoundError | ModuleNotFoundError):
            return True
        cause = cause.__cause__
    return isinstance(error, ModuleNotFoundError)
