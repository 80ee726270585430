"""Numbers in sentences."""


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural where that is right: "3 candidates"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
