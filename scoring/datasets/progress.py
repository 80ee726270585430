"""How long work says how far it is."""

from collections.abc import Callable

# Hears how far the work is, 0 to 1, and what is done now; may raise to stop it.
Progress = Callable[[float, str], None]


def by_percent(progress: Progress | None) -> Progress:
    """Return a progress that passes on what is a percent or more further, or other words."""
    said = (-1, "")

    def tell(share: float, words: str) -> None:
        nonlocal said
        now = (int(share * 100), words)
        if progress is not None and now != said:
            said = now
            progress(share, words)

    return tell
