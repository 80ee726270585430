"""Says how much was tried, for who runs the tests with -s: a figure, never an assertion."""

import sys


def tell(words: str) -> None:
    sys.stdout.write(f"\n{words}\n")
