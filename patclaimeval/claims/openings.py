"""How a claim set opens: what names it where it has no title."""

from typing import Final

from patclaimeval.claims.invisible import without_invisible
from patclaimeval.claims.parsing import parse_claims

LONGEST_OPENING: Final = 90
# Characters of a text of which its opening is read.
HEAD: Final = 400


def opening_of(claims: str) -> str:
    """Return how claim 1 opens, without its number and in one line.

    Input: a claim set, or the first HEAD characters of one. Output: at most LONGEST_OPENING
    characters, without invisible ones, cut between words and with an ellipsis after a cut; "" of
    an empty text. Text before the first number is passed over.
    """
    parsed = parse_claims(claims[:HEAD])
    numbered = [claim for claim in parsed if claim.number is not None] or parsed
    text = " ".join(without_invisible(numbered[0].body).split()) if numbered else ""
    if len(text) <= LONGEST_OPENING:
        return text
    opening = text[: LONGEST_OPENING + 1].rpartition(" ")[0]
    if len(opening) <= LONGEST_OPENING // 2:  # hardly a space: the script has none between words
        opening = text[:LONGEST_OPENING]
    return f"{opening}\N{NO-BREAK SPACE}…"
